import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  formatMessage,
  type GuardianMessage,
  readMessages,
  type SupervisorMessage,
} from "./guardian-protocol.ts";

export interface GuardianProcessEvents {
  /** Called when the guardian ends the command because the lease was not extended in time. */
  onEnding(): void;
  /** Called when the process exits after it was ready, unless `dismiss` was called. */
  onExit(): void;
}

/** The program of the guardian: TypeScript in a checkout, and JavaScript in the package. */
const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./guardian.ts" : "./guardian.js", import.meta.url),
);
/** Matches the Node options that start a debugger, because its port is already used by the supervisor. */
const DEBUGGER_OPTION = /^--inspect/;
/** How long the guardian may take for each response, in milliseconds. A busy machine starts processes slowly. */
const RESPONSE_MS = { ready: 20_000, watching: 5000, ending: 5000 } as const;
const DISMISS_MS = 1000;

/**
 * Controls one guardian process for the supervisor. Messages that are sent before the guardian is ready are not lost.
 */
export class GuardianProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<void>;
  readonly #received = new Set<GuardianMessage["type"]>();
  readonly #waiting = new Map<GuardianMessage["type"], () => void>();
  #state: "starting" | "running" | "dismissed" = "starting";

  /** Starts a process. `waitFor` reports whether that succeeded. */
  constructor(
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

  send(message: SupervisorMessage): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(formatMessage(message));
  }

  /**
   * Resolves when the guardian has sent this message.
   *
   * @throws Error if the guardian exits, or is killed because it does not respond
   */
  async waitFor(type: GuardianMessage["type"]): Promise<void> {
    if (this.#received.has(type)) return;
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.set(type, resolve);
        const limitMs = RESPONSE_MS[type];
        timer = setTimeout(() => reject(new Error(`it did not respond within ${limitMs / 1000} s`)), limitMs);
        void this.#exited.then(() => reject(new Error("it exited")));
      });
    } catch (error) {
      this.#child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(timer);
    }
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

  /** Kills a guardian that cannot be used. Its exit is not reported. */
  disown(): void {
    this.#state = "dismissed";
    this.#child.kill("SIGKILL");
  }

  #handle({ type }: GuardianMessage): void {
    this.#received.add(type);
    if (this.#state === "starting") this.#state = "running";
    this.#waiting.get(type)?.();
    if (type === "ending") this.events.onEnding();
  }
}
