import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "./server-process.ts";

const POLL_MS = 250;
const PAUSE_MS_MIN = 500;
const PAUSE_MS_MAX = 30_000;
/** Minimum uptime, in ms, after which an exited server is restarted without delay. */
const STABLE_MS = 30_000;

export interface SupervisorOptions {
  pid: number;
  /** Restarts the server, or finds the server that another process restarted. Returns the pid of the server. */
  restart(signal: AbortSignal): Promise<number>;
  /** Called with a message after each restart of the server, and after the first of a series of failed restarts. */
  onLine?: ((line: string) => void) | undefined;
}

/** Watches a server process and restarts it when it exits unexpectedly. */
export class ServerSupervisor {
  #pid: number;
  #startedAt = performance.now();
  #pauseMs = 0;
  #restarting: Promise<void> | undefined;
  readonly #stopped = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: SupervisorOptions) {
    this.#pid = options.pid;
    this.#timer = setInterval(() => this.#check(), POLL_MS).unref();
  }

  get pid(): number {
    return this.#pid;
  }

  /** Records the pid of a new server process, so that Lockkeeper can stop the server when Lockkeeper exits. */
  setPid(pid: number): void {
    this.#pid = pid;
  }

  /** Stops supervising, and cancels a restart in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await Promise.race([this.#restarting, sleep(200, undefined, { ref: false })]);
  }

  #check(): void {
    if (this.#restarting !== undefined || isRunning(this.#pid)) return;
    this.#restarting = this.#restart().finally(() => {
      this.#restarting = undefined;
    });
  }

  async #restart(): Promise<void> {
    const ended = this.#pid;
    const { signal } = this.#stopped;
    if (performance.now() - this.#startedAt > STABLE_MS) this.#pauseMs = 0;
    let hasFailed = false;
    while (!signal.aborted) {
      await sleep(this.#pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, PAUSE_MS_MIN), PAUSE_MS_MAX);
      if (signal.aborted) return;
      try {
        this.#pid = await this.options.restart(signal);
        this.#startedAt = performance.now();
        this.options.onLine?.(
          `The embedded Redis (pid ${ended}) ended; it runs again with pid ${this.#pid}.`,
        );
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!hasFailed && !signal.aborted)
          this.options.onLine?.(
            `The embedded Redis (pid ${ended}) ended and could not be started: ${reason}. Retrying.`,
          );
        hasFailed = true;
      }
    }
  }
}
