import type { Redis } from "ioredis";
import { waitUntilReady } from "./connect.ts";
import { isRedirectError, NeverSentError } from "./failure.ts";

/** Where a script was executed: the server and its run id. */
export interface ScriptExecution {
  readonly place: string;
  readonly runId: string | undefined;
}

/** A connection that is used only to wait for replicas, because WAIT blocks all later commands on its connection. */
export interface WaitConnection {
  readonly redis: Redis;
  readonly place: string;
  /** Returns the run id of the server behind this connection; `undefined` if unknown. */
  getRunId(): string | undefined;
  /** Returns the key to write before WAIT; `undefined` if the server has no slots in its cluster. */
  findKey(): string | undefined;
  /**
   * Makes `findKey` return a key in another slot. Call this method if the server redirected the write to the last key.
   */
  skipKey(): void;
}

/** TTL of the key that Lockkeeper writes before each WAIT, in ms. */
const KEY_TTL_MS = 60_000;

/**
 * Counts the replicas that have acknowledged all writes on a server so far.
 *
 * WAIT counts the replicas that have reached the last write on its own connection (Redis 7.2, Valkey 7.2 and newer) or
 * the last command on the connection (older versions). Lockkeeper therefore writes a key before each WAIT. The
 * replication offset of that write is larger than that of every earlier write on the server. Calls that arrive during a
 * count share the next count.
 */
export class ReplicaWait {
  readonly #inFlight = new Map<string, Promise<number>>();
  readonly #next = new Map<string, Promise<number>>();

  /**
   * @param timeoutMs time limit for the replicas to acknowledge, in ms
   * @param getConnection returns the connection to the server at a place
   */
  constructor(
    private readonly replicas: number,
    private readonly timeoutMs: number,
    private readonly getConnection: (place: string) => WaitConnection,
  ) {}

  /**
   * Counts the replicas that have acknowledged the script's writes and all earlier writes on the server.
   *
   * @throws NeverSentError if the server that executed the script is unknown, has been replaced, or has no slots
   * @throws ReplyError if Redis refuses the write or WAIT
   */
  async countReplicas({ place, runId }: ScriptExecution): Promise<number> {
    const line = this.getConnection(place);
    await waitUntilReady(line.redis, AbortSignal.timeout(this.timeoutMs));
    if (runId === undefined) throw new NeverSentError("The run id of the master is unknown");
    this.#assertSameServer(line, runId);
    const next = this.#next.get(line.place) ?? this.#scheduleCount(line, runId);
    return await next;
  }

  #scheduleCount(line: WaitConnection, runId: string): Promise<number> {
    const before = this.#inFlight.get(line.place);
    const waited = (before?.catch(() => 0) ?? Promise.resolve(0)).then(async () => {
      this.#next.delete(line.place);
      this.#inFlight.set(line.place, waited);
      try {
        return await this.#writeAndCount(line, runId);
      } finally {
        if (this.#inFlight.get(line.place) === waited) this.#inFlight.delete(line.place);
      }
    });
    this.#next.set(line.place, waited);
    return waited;
  }

  /**
   * Sends SET and WAIT in one packet. If SET fails, throws its error, because WAIT then does not wait for a new write.
   */
  async #writeAndCount(line: WaitConnection, runId: string): Promise<number> {
    const deadline = performance.now() + this.timeoutMs;
    for (;;) {
      this.#assertSameServer(line, runId);
      const key = line.findKey();
      if (key === undefined) throw new NeverSentError("The master no longer has a slot");
      const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        const [, count] = await Promise.all([
          line.redis.set(key, "", "PX", KEY_TTL_MS),
          line.redis.wait(this.replicas, leftMs),
        ]);
        return count;
      } catch (error) {
        if (!isRedirectError(error) || performance.now() > deadline) throw error;
        line.skipKey();
      }
    }
  }

  /**
   * Asserts that the script ran on this server. Replicas of a new master acknowledge only the writes of that master,
   * which may not include the lock.
   */
  #assertSameServer(line: WaitConnection, runId: string): void {
    if (line.getRunId() !== runId)
      throw new NeverSentError("The server that executed the script is no longer the master");
  }
}
