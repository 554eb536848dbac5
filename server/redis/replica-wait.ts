import type { Redis } from "ioredis";
import { waitUntilReady } from "./connect.ts";
import { NeverSentError } from "./failure.ts";
import type { ReplicationIdentity } from "./replication-identity.ts";

/** Where a script was carried out. */
export interface ScriptExecution {
  readonly place: string;
  readonly runId: string | undefined;
}

/** A connection on which nothing but WAIT is asked, and its place: WAIT holds up whatever comes after it. */
export interface WaitConnection {
  readonly redis: Redis;
  readonly place: string;
}

/**
 * Asks servers how many replicas have confirmed what was written before. Questions that come while one is under way
 * share the next one: what was written before WAIT is sent is confirmed with it.
 */
export class ReplicaWait {
  readonly #inFlight = new Map<string, Promise<number>>();
  readonly #next = new Map<string, Promise<number>>();

  /** @param getConnection the connection to the server of a place */
  constructor(
    private readonly identity: ReplicationIdentity,
    private readonly replicas: number,
    private readonly timeoutMs: number,
    private readonly getConnection: (place: string) => WaitConnection,
  ) {}

  /** How many replicas have what that server wrote until now. @throws when it cannot be asked any more */
  async countReplicas({ place, runId }: ScriptExecution): Promise<number> {
    const line = this.getConnection(place);
    await waitUntilReady(line.redis, AbortSignal.timeout(this.timeoutMs));
    const isThere = runId !== undefined && this.identity.getRunId(line.place) === runId;
    // The server that took its place may have replicas that confirm all it has, and not have the lock.
    if (!isThere) throw new NeverSentError("The server that carried it out is not the master any more");
    const next = this.#next.get(line.place) ?? this.#scheduleCount(line, runId);
    return await next;
  }

  #scheduleCount(line: WaitConnection, runId: string): Promise<number> {
    const before = this.#inFlight.get(line.place);
    const waited = (before?.catch(() => 0) ?? Promise.resolve(0)).then(async () => {
      this.#next.delete(line.place);
      this.#inFlight.set(line.place, waited);
      try {
        if (this.identity.getRunId(line.place) !== runId)
          throw new NeverSentError("Another server is there now");
        // WAIT counts from the connection's last command: this one makes it now.
        const [, count] = await Promise.all([
          line.redis.ping(),
          line.redis.wait(this.replicas, this.timeoutMs),
        ]);
        return count;
      } finally {
        if (this.#inFlight.get(line.place) === waited) this.#inFlight.delete(line.place);
      }
    });
    this.#next.set(line.place, waited);
    return waited;
  }
}
