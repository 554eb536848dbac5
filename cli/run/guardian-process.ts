import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  formatMessage,
  type GuardianMessage,
  isGuardianMessage,
  readMessages,
  type SupervisorMessage,
} from "./guardian-protocol.ts";

export interface GuardianProcessEvents {
  /** Called when the guardian starts to end the command because the lease was not extended in time. */
  onEnding(): void;
  /** Called when the guardian exits after becoming ready, unless `dismiss` or `discard` was called. */
  onExit(): void;
}

/** Path of the guardian program, which is TypeScript in a checkout and JavaScript in the package. */
const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./guardian.ts" : "./guardian.js", import.meta.url),
);
/**
 * Matches Node options that start a debugger. The guardian cannot use them, because the supervisor already uses the
 * port.
 */
const DEBUGGER_OPTION = /^--inspect/;
/**
 * Time limits in ms within which the guardian must send each message. `ready` allows for the slow start of a process on
 * a busy machine.
 */
const RESPONSE_MS = { ready: 20_000, watching: 5000, ending: 5000 } as const;
const DISMISS_MS = 1000;

/**
 * One guardian process, which the supervisor starts and controls. The guardian also receives messages that are sent
 * before it is ready.
 */
export class GuardianProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<void>;
  readonly #received = new Set<GuardianMessage["type"]>();
  readonly #waiting = new Map<GuardianMessage["type"], () => void>();
  #state: "starting" | "running" | "dismissed" = "starting";

  /**
   * Starts the process. Call `waitFor("ready")` to wait until the guardian is ready. That promise rejects if the
   * guardian cannot start.
   */
  constructor(
    environment: NodeJS.ProcessEnv,
    private readonly events: GuardianProcessEvents,
  ) {
    const options = process.execArgv.filter((option) => !DEBUGGER_OPTION.test(option));
    // Runs the guardian in its own session, so that it does not receive signals from the terminal or to the
    // supervisor's process group.
    this.#child = spawn(process.execPath, [...options, SCRIPT], {
      detached: true,
      env: environment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve()).once("error", () => resolve());
    });
    // Ignores a broken pipe, because `#exited` reports the exit of the guardian.
    this.#child.stdin.on("error", () => undefined);
    readMessages(this.#child.stdout, isGuardianMessage, (message) => this.#handle(message));
    void this.#exited.then(() => {
      if (this.#state === "running") this.events.onExit();
    });
  }

  send(message: SupervisorMessage): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(formatMessage(message));
  }

  /**
   * Resolves when the guardian has sent a message of this type.
   *
   * @throws Error if the guardian exits, or does not respond in time and is killed
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
    // A stopped process cannot read `done`, so it is killed.
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), DISMISS_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Kills a guardian that failed, without calling `onExit`. */
  discard(): void {
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
