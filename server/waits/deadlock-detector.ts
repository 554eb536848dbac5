import { createHash } from "node:crypto";
import type { Logger } from "pino";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import type { Masters } from "../redis/master.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import { type Deadlock, findDeadlocks, type KnownDeadlock } from "./find-deadlocks.ts";
import { refuseWait } from "./refuse-wait.ts";
import { type HeldLock, toGraphToken, type WaitGraph } from "./wait-graph.ts";

/** The token of a placeholder for holders that no wait declares. */
const UNLISTED_HOLDER = "";

export interface DeadlockDetectorDeps {
  readonly graph: WaitGraph;
  readonly masters: Masters;
  /** Whether this instance is allowed to publish refusals. */
  readonly canWrite: boolean;
  /** Name of the target, for the log. */
  readonly target: string;
  readonly log: Logger;
  findHold(key: Key): ObservedHold | undefined;
  /** Reads the locks and their waiters again. */
  readAgain(keys: readonly Key[]): Promise<void>;
}

/**
 * Finds the deadlocks in a wait-for graph, and refuses waits to resolve them.
 *
 * A deadlock is reported only if its waits and holds are found again by reads that were sent after the deadlock was
 * first found. The second reading proves that all waits and holds existed at the same time.
 */
export class DeadlockDetector {
  /** Number of deadlocks found since the process started. */
  count = 0;
  #deadlocks: readonly KnownDeadlock[] = [];

  constructor(private readonly deps: DeadlockDetectorDeps) {}

  get deadlocks(): readonly KnownDeadlock[] {
    return this.#deadlocks;
  }

  readonly #findHeldLock = (key: Key): HeldLock | undefined => {
    const hold = this.deps.findHold(key);
    if (hold === undefined || hold.seen.state === "ended") return undefined;
    const { kind, holders, isPlain } = hold.seen;
    const tokens = holders.map(toGraphToken);
    // Clients of other libraries may have permits that Redis does not list, and any of these clients can release a
    // permit.
    if (isPlain) tokens.push(UNLISTED_HOLDER);
    return { blocking: kind === "semaphore" ? "any" : "all", tokens };
  };

  /**
   * Finds the current deadlocks, and refuses one wait in each deadlock. Call this method after each change to the graph
   * or the holds, and repeatedly while there is a deadlock.
   */
  async update(): Promise<void> {
    const known = new Map(this.#deadlocks.map((each) => [each.id, each]));
    const found = this.#find();
    const isConfirmed = (id: string) => known.has(id);
    let confirmed = found;
    if (found.some(({ id }) => !isConfirmed(id))) {
      await this.#readAgain(found);
      const again = new Set(this.#find().map(({ id }) => id));
      confirmed = found.filter(({ id }) => again.has(id));
    }
    for (const deadlock of confirmed) {
      if (!isConfirmed(deadlock.id)) this.#reportDeadlock(deadlock);
      this.#refuse(deadlock);
    }
    this.#deadlocks = confirmed;
  }

  #find(): KnownDeadlock[] {
    return findDeadlocks(this.deps.graph, this.#findHeldLock).map((each) => ({
      ...each,
      id: computeId(each),
    }));
  }

  /** Reads the locks that are part of the deadlocks again, with their waiters. */
  async #readAgain(deadlocks: readonly Deadlock[]): Promise<void> {
    const keys = new Set<Key>();
    for (const { waits } of deadlocks)
      for (const { key, holding } of waits)
        for (const each of [key, ...holding.map((hold) => hold.key)]) keys.add(each);
    await this.deps.readAgain([...keys]);
  }

  #reportDeadlock({ cycle }: KnownDeadlock): void {
    this.count++;
    const waits = cycle.map(({ owner, key }) => `${formatKey(owner)} waits for ${formatKey(key)}`);
    this.deps.log.warn({ target: this.deps.target, waits }, "Found a deadlock");
  }

  /** Publishes the refusal of a wait. Called repeatedly while the deadlock lasts, because a message can be lost. */
  #refuse(deadlock: KnownDeadlock): void {
    if (!this.deps.canWrite) return;
    refuseWait(this.deps.masters, deadlock).catch((error: unknown) => {
      this.deps.log.warn({ err: error }, "Could not refuse a wait that is part of a deadlock");
    });
  }
}

/** Computes the id of a deadlock from its waits. The id is the same on every instance. */
function computeId({ waits }: Deadlock): string {
  const names = waits.map(({ key, id }) => `${key}\n${id}`).sort();
  return createHash("sha256").update(names.join("\n\n")).digest("base64url").slice(0, 16);
}
