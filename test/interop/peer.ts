import type { ChildProcess, SpawnOptions } from "node:child_process";
import { createInterface } from "node:readline";
import { kill, start } from "./children.ts";
import { formatReason } from "./skip.ts";

const READY_MS = 30_000;
/** Time in ms that a peer may take for a response, in addition to the time that the request itself may take. */
const GRACE_MS = 20_000;

/**
 * A process that takes part in a test, written in any language. It first prints `ready {}`. Then it reads requests as
 * lines `id verb argument …` and prints responses as lines `id {json}`. `{"error": …}` reports the failure of a
 * request.
 */
export class Peer {
  readonly #waiting = new Map<string, (answer: Record<string, unknown>) => void>();
  readonly #child: ChildProcess;
  #said = "";
  #requests = 0;

  private constructor(
    readonly name: string,
    command: string,
    args: readonly string[],
    options: SpawnOptions,
  ) {
    this.#child = start(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stdin?.on("error", () => undefined);
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-4000);
    });
    if (this.#child.stdout) createInterface(this.#child.stdout).on("line", (line) => this.#onLine(line));
    this.#child.once("error", (error) => this.#onExit(`cannot be run: ${error.message}`));
    this.#child.once("exit", (code, by) => this.#onExit(`ended (${by ?? code})`));
  }

  /**
   * Starts the process and waits until it is ready.
   *
   * @throws if the process does not become ready in time
   */
  static async start(
    name: string,
    command: string,
    args: readonly string[],
    options: SpawnOptions = {},
  ): Promise<Peer> {
    const peer = new Peer(name, command, args, options);
    try {
      await peer.#waitForAnswer("ready", READY_MS);
      return peer;
    } catch (error) {
      peer.end();
      throw error;
    }
  }

  /**
   * Sends a request and returns the response.
   *
   * @param forMs time in ms that the request itself may take
   */
  async ask<Answer>(verb: string, words: readonly (string | number)[], forMs = 0): Promise<Answer> {
    const id = String(++this.#requests);
    const answer = this.#waitForAnswer(id, forMs + GRACE_MS);
    this.#child.stdin?.write(`${[id, verb, ...words].join(" ")}\n`);
    return (await answer) as Answer;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  end(): void {
    kill(this.#child);
  }

  #waitForAnswer(id: string, limitMs: number): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const fail = (why: unknown) => {
        reject(
          new Error(
            `${this.name}: ${String(why)}${this.#said === "" ? "" : ` (${formatReason(this.#said)})`}`,
          ),
        );
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        fail(`did not answer within ${limitMs} ms`);
      }, limitMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (answer.error === undefined) resolve(answer);
        else fail(answer.error);
      });
    });
  }

  #onLine(line: string): void {
    const space = line.indexOf(" ");
    this.#waiting.get(line.slice(0, space))?.(JSON.parse(line.slice(space + 1)) as Record<string, unknown>);
  }

  #onExit(how: string): void {
    for (const answer of [...this.#waiting.values()]) answer({ error: how });
  }
}
