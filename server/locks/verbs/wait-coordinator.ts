import type { Key } from "../../../lib/keys/key.ts";
import { AbortedError, type HeldError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { StopSignal } from "./verbs.ts";
import { type Ending, type Refused, Stop } from "./wait-stop.ts";
import type { Place, WaitingRoom } from "./waiter-queues.ts";

/** For how long one who gave up may come back to its place with the same request id. */
export const PLACE_KEPT_MS = 5000;
const AWAY_PAUSE_MS = 200;

export interface WaitOptions {
  readonly waitMs: number;
  readonly signal: StopSignal | undefined;
  /** The caller's own id; the one who repeats it keeps its place. */
  readonly requestId: string | undefined;
  /** Who waits, where one owner may take the lock several times. */
  readonly owner?: string;
}

/** What a look at a lock shows to one who waits for it. */
export type Sight<Reply> = { readonly done: Reply; readonly heldMs?: number } | Refused;

/** What was taken, and what to do when nobody wants it any more. */
export interface Taken {
  giveUp(): void;
}

/** One look: `leftMs` of the wait, and since when it lasts (undefined at the first). */
export type Look<Reply> = (leftMs: number, sinceMs: number | undefined) => Promise<Sight<Reply>>;

/** Told of the end of a wait without the lock. */
export type OnEnd = (ending: Ending | undefined, sinceMs: number | undefined) => void;

/** Waits for locks, one at a time and key, with places that outlive a broken connection of the caller. */
export class Waits {
  readonly #kept = new Map<string, { sinceMs: number; timer: NodeJS.Timeout }>();
  readonly #running = new Map<string, Stop>();

  constructor(private readonly room: WaitingRoom) {}

  /**
   * Looks until a look is done, the time is over or the signal ends.
   *
   * @param onEnd called once when it ends without the lock: why, unless a look failed, and since when it waited, if it
   *   did
   * @throws LockkeeperError timeout, aborted, and what a look throws
   */
  async run<Reply extends Taken>(
    key: Key,
    options: WaitOptions,
    look: Look<Reply>,
    onEnd: OnEnd,
  ): Promise<Reply> {
    const { waitMs, signal, requestId, owner } = options;
    const name = requestId === undefined ? undefined : `${requestId}\n${key}`;
    const deadline = performance.now() + waitMs;
    let sinceMs = this.#takeBack(name);
    const stop = new Stop(waitMs, signal);
    if (name !== undefined) this.#supersede(name, stop);
    let place: Place | undefined;
    let heldMs: number | undefined;
    try {
      for (;;) {
        if (place !== undefined) await place.turn(stop);
        const seen: Sight<Reply> | undefined = await (place === undefined
          ? look(leftUntil(deadline), sinceMs)
          : lookThroughOutages(look(leftUntil(deadline), sinceMs), stop));
        if (seen !== undefined && "done" in seen) {
          const taken = unlessGivenUp(seen.done, stop);
          heldMs = seen.heldMs;
          return taken;
        }
        if (place !== undefined) place.sleepUntil(seen === undefined ? AWAY_PAUSE_MS : seen.heldMs);
        else if (seen !== undefined) {
          sinceMs ??= seen.asOf;
          place = this.room.enter(key, sinceMs, owner);
        }
        if (seen !== undefined && place !== undefined) place.refused = seen;
      }
    } catch (error) {
      onEnd(stop.ending, sinceMs);
      if (sinceMs !== undefined) this.#keep(name, sinceMs, stop);
      throw error === stop ? endedBy(stop, place?.refused?.refusal(owner)) : error;
    } finally {
      place?.leave(heldMs);
      stop.forget();
      if (name !== undefined && this.#running.get(name) === stop) this.#running.delete(name);
    }
  }

  #supersede(name: string, stop: Stop): void {
    this.#running.get(name)?.end("superseded");
    this.#running.set(name, stop);
  }

  /** Whoever gave up, or was timed out, may come back. */
  #keep(name: string | undefined, sinceMs: number, { ending }: Stop): void {
    if (name === undefined || ending === undefined || ending === "superseded") return;
    clearTimeout(this.#kept.get(name)?.timer);
    const timer = setTimeout(() => this.#kept.delete(name), PLACE_KEPT_MS);
    timer.unref();
    this.#kept.set(name, { sinceMs, timer });
  }

  #takeBack(name: string | undefined): number | undefined {
    const kept = name === undefined ? undefined : this.#kept.get(name);
    if (name === undefined || kept === undefined) return undefined;
    clearTimeout(kept.timer);
    this.#kept.delete(name);
    return kept.sinceMs;
  }
}

function leftUntil(deadline: number): number {
  return Math.max(1, Math.round(deadline - performance.now()));
}

/** undefined while Redis is away: whoever waits outlasts that, as long as its time is not over. */
async function lookThroughOutages<Reply>(
  look: Promise<Sight<Reply>>,
  stop: Stop,
): Promise<Sight<Reply> | undefined> {
  try {
    return await look;
  } catch (error) {
    const isAway = error instanceof UnavailableError || error instanceof UnknownOutcomeError;
    if (!isAway || stop.ending !== undefined) throw error;
    return undefined;
  }
}

/** A grant that arrives after its caller has gone is given back; one after a later request of the same id is that one's. */
function unlessGivenUp<Reply extends Taken>(taken: Reply, { ending }: Stop): Reply {
  if (ending === undefined || ending === "timed_out") return taken;
  if (ending === "given_up") taken.giveUp();
  throw new AbortedError("The wait was given up; nothing is held.");
}

function endedBy({ ending }: Stop, refusal: HeldError | undefined): WaitTimeoutError | AbortedError {
  if (ending === "timed_out" && refusal !== undefined) {
    return new WaitTimeoutError(`The wait is over. ${refusal.message}`, refusal.facts);
  }
  return new AbortedError("The wait was given up; nothing is held.");
}
