import { type ApiProcess, startApiProcess } from "../support/api-process.ts";
import { findFreePort } from "../support/test-redis.ts";
import { ROOT_KEY } from "../support/test-server.ts";

const START_TRIES = 10;

/** A server in a separate process that restarts on the same port. */
export class RestartingServer {
  restarts = 0;
  #timer: NodeJS.Timeout | undefined;
  #restarting: Promise<void> = Promise.resolve();

  private constructor(
    private readonly settings: Readonly<Record<string, string>>,
    private process: ApiProcess,
  ) {}

  static async start(redisUrl: string): Promise<RestartingServer> {
    const settings = {
      PORT: String(await findFreePort()),
      REDIS_URL: redisUrl,
      LOCKKEEPER_ROOT_KEY: ROOT_KEY,
      LOCKKEEPER_LOG: "error",
    };
    return new RestartingServer(settings, await startApiProcess(settings));
  }

  /** Environment variables for a CLI process that uses this server. */
  get environment(): Readonly<Record<string, string>> {
    return { LOCKKEEPER_URL: this.process.url, LOCKKEEPER_API_KEY: ROOT_KEY };
  }

  /** Restarts the server. Resolves when the server is ready again. */
  async restart(): Promise<void> {
    await this.process.stop();
    this.process = await startOnSamePort(this.settings);
    this.restarts++;
  }

  restartEvery(everyMs: number): void {
    this.#timer = setTimeout(() => {
      this.#restarting = this.restart();
      void this.#restarting.then(() => this.restartEvery(everyMs));
    }, everyMs);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#restarting;
    clearTimeout(this.#timer);
    await this.process.stop();
  }
}

/** Starts the server. Retries if another process uses the port. */
async function startOnSamePort(settings: Readonly<Record<string, string>>): Promise<ApiProcess> {
  for (let left = START_TRIES; ; left--) {
    try {
      return await startApiProcess(settings);
    } catch (error) {
      if (left <= 1 || !String(error).includes("is in use")) throw error;
    }
  }
}
