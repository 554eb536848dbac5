import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sendRequest } from "../../bench/child.ts";
import { killProcess } from "../servers/limited-redis.ts";
import type { ClientRequest, ClientResponse, ClientResult, ClientTarget } from "./messages.ts";

const SCRIPT = fileURLToPath(new URL("client-process.ts", import.meta.url));
/**
 * Number of acquires per second. High enough for 1,000 acquires in 7 s, and low enough for a server that shares two
 * cores with the test.
 */
const RATE_PER_SECOND = 150;

/** Controls the child process of the ordinary client. */
export class Client {
  readonly #child: ChildProcess;
  #runs = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<Client> {
    const child = fork(SCRIPT, [], { execArgv: ["--import", "tsx"], stdio: ["ignore", 2, 2, "ipc"] });
    await once(child, "message");
    return new Client(child);
  }

  /** Makes the child process acquire and release locks and poll the server. */
  async begin(target: ClientTarget): Promise<void> {
    const name = String(this.#runs++);
    await this.#send({ do: "start", target, ratePerSecond: RATE_PER_SECOND, name });
  }

  async countAcquires(): Promise<number> {
    const response = await this.#send({ do: "count" });
    return response.is === "counted" ? response.acquires : 0;
  }

  async end(): Promise<ClientResult> {
    const response = await this.#send({ do: "stop" });
    if (response.is !== "stopped") throw new Error("The client process has no result");
    return response.result;
  }

  stop(): Promise<void> {
    return killProcess(this.#child);
  }

  /** Sends a message after the response to the previous one, because responses have no id. */
  #send(message: ClientRequest): Promise<ClientResponse> {
    const response = this.#last.then(() => sendRequest<ClientResponse>(this.#child, message));
    this.#last = response.catch(() => undefined);
    return response;
  }
}
