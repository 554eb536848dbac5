import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  formatMessage,
  type GuardianMessage,
  type GuardianOrders,
  readMessages,
  type SupervisorMessage,
} from "./guardian-protocol.ts";

export interface GuardianProcessEvents {
  /** The guardian ends the command, because the lease was not extended in time. */
  onEnding(): void;
  /** The process exited without `dismiss`. */
  onExit(): void;
}

/** The file runs as TypeScript from a checkout and as JavaScript from the package. */
const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./guardian.ts" : "./guardian.js", import.meta.url),
);
/** A debugger listens on one port, which the supervisor has. */
const DEBUGGER_OPTION = /^--inspect/;
/** How long the guardian may take for each response, in milliseconds. A busy machine starts processes slowly. */
const RESPONSE_MS = { ready: 20_000, watching: 5000, ending: 5000 } as const;
const DISMISS_MS = 1000;

/** One guardian process, as the supervisor sees it. */
export class GuardianProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<void>;
  readonly #waiting = new Map<GuardianMessage["type"], () => void>();
  #state: "starting" | "running" | "dismissed" = "starting";

  private constructor(
    environment: NodeJS.ProcessEnv,
    private readonly events: GuardianProcessEvents,
  ) {
    const options = process.execArgv.filter((option) => !DEBUGGER_OPTION.test(option));
    // Its own session: signals of the terminal do not reach it, nor does a kill of the supervisor's process group.
    this.#child = spawn(process.execPath, [...options, SCRIPT], {
      detached: true,
      env: environment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve()).once("error", () => resolve());
    });
    // The exit reports a broken pipe.
    this.#child.stdin.on("error", () => undefined);
    readMessages<GuardianMessage>(this.#child.stdout, (message) => this.#handle(message));
    void this.#exited.then(() => {
      if (this.#state === "running") this.events.onExit();
    });
  }

  /** Starts a guardian. Resolves when it accepts orders. @throws Error if it cannot be started */
  static async start(
    environment: NodeJS.ProcessEnv,
    events: GuardianProcessEvents,
  ): Promise<GuardianProcess> {
    const guardian = new GuardianProcess(environment, events);
    await guardian.#expect("ready", () => undefined);
    guardian.#state = "running";
    return guardian;
  }

  /** Gives the guardian its orders. Resolves when it watches. @throws Error if it does not confirm */
  async watch(orders: GuardianOrders): Promise<void> {
    await this.#expect("watching", () => this.send({ type: "watch", orders }));
  }

  send(message: SupervisorMessage): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(formatMessage(message));
  }

  /** Ends the guardian. Resolves when its process has exited. */
  async dismiss(): Promise<void> {
    this.#state = "dismissed";
    this.send({ type: "done" });
    this.#child.stdin.end();
    // A stopped process does not read the message.
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), DISMISS_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  async #expect(type: GuardianMessage["type"], ask: () => void): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<void>((resolve, reject) => {
      this.#waiting.set(type, resolve);
      timer = setTimeout(
        () => reject(new Error(`it did not respond within ${RESPONSE_MS[type] / 1000} s`)),
        RESPONSE_MS[type],
      );
      void this.#exited.then(() => reject(new Error("it exited")));
    });
    try {
      ask();
      await answered;
    } catch (error) {
      this.#child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(type);
    }
  }

  #handle({ type }: GuardianMessage): void {
    this.#waiting.get(type)?.();
    if (type === "ending") this.events.onEnding();
  }
}
