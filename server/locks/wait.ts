import { setMaxListeners } from "node:events";
import type { Key } from "../../lib/contract/key.ts";
import {
  AbortedError,
  type HeldError,
  UnavailableError,
  UnknownOutcomeError,
  WaitTimeoutError,
} from "./errors.ts";
import type { Place, WaitingRoom } from "./waiting-room.ts";

/** For how long one who gave up may come back to its place with the same request id. */
export const PLACE_KEPT_MS = 5000;
const AWAY_PAUSE_MS = 200;

export interface WaitOptions {
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  /** The caller's own id; the one who repeats it keeps its place. */
  readonly requestId: string | undefined;
  /** Who waits, where one owner may take the lock several times. */
  readonly owner?: string;
}

/** What a look at a lock shows to one who waits for it. */
export type Sight<Reply> =
  | { readonly done: Reply; readonly heldMs?: number }
  | { readonly heldMs: number | null; readonly asOf: number; readonly refusal: HeldError };

/** What was taken, and what to do when nobody wants it any more. */
export interface Taken {
  giveUp(): void;
}

/** One look: `leftMs` of the wait, and since when it lasts (undefined at the first). */
export type Look<Reply> = (leftMs: number, sinceMs: number | undefined) => Promise<Sight<Reply>>;

/** Why a wait ended without the lock. */
export type Ending = "timed_out" | "given_up" | "superseded";

/** Waits for locks, one at a time and key, with places that outlive a broken connection of the caller. */
export class Waits {
  readonly #kept = new Map<string, { sinceMs: number; timer: NodeJS.Timeout }>();
  readonly #running = new Map<string, AbortController>();

  constructor(private readonly room: WaitingRoom) {}

  /**
   * Looks until a look is done, the time is over or the signal ends.
   *
   * @param onEnd called once when it ends without the lock, with since when it waited
   * @throws LockkeeperError timeout, aborted, and what a look throws
   */
  async run<Reply extends Taken>(
    key: Key,
    options: WaitOptions,
    look: Look<Reply>,
    onEnd: (ending: Ending, sinceMs: number) => void,
  ): Promise<Reply> {
    const name = options.requestId === undefined ? undefined : `${options.requestId}\n${key}`;
    const deadline = performance.now() + options.waitMs;
    const leftMs = () => Math.max(1, Math.round(deadline - performance.now()));
    const keptSinceMs = this.#takeBack(name);
    const stop = this.#begin(name, options);
    let sinceMs = keptSinceMs;
    try {
      const seen = await look(leftMs(), keptSinceMs);
      if ("done" in seen) return unlessGivenUp(seen.done, stop.signal);
      const since = keptSinceMs ?? seen.asOf;
      sinceMs = since;
      const place = this.room.enter(key, since, options.owner);
      return await this.#wait(place, seen.refusal, stop.signal, () => look(leftMs(), since));
    } catch (error) {
      const ending = endingOf(stop.signal);
      if (ending !== undefined && sinceMs !== undefined) {
        onEnd(ending, sinceMs);
        if (ending !== "superseded" && name !== undefined) this.#keep(name, sinceMs);
      }
      throw error;
    } finally {
      stop.end();
    }
  }

  async #wait<Reply extends Taken>(
    place: Place,
    firstRefusal: HeldError,
    signal: AbortSignal,
    look: () => Promise<Sight<Reply>>,
  ): Promise<Reply> {
    let refusal = firstRefusal;
    let heldMs: number | undefined;
    try {
      for (;;) {
        await place.turn(signal);
        const seen = await lookThroughOutages(look, signal);
        if (seen !== undefined && "done" in seen) {
          const taken = unlessGivenUp(seen.done, signal);
          heldMs = seen.heldMs;
          return taken;
        }
        refusal = seen?.refusal ?? refusal;
        place.sleepUntil(seen === undefined ? AWAY_PAUSE_MS : seen.heldMs);
      }
    } catch (error) {
      throw signal.aborted && error === signal.reason ? endedBy(signal, refusal) : error;
    } finally {
      place.leave(heldMs);
    }
  }

  /** A wait that ends with its time, its caller, or a later request of the same id. */
  #begin(name: string | undefined, { waitMs, signal }: WaitOptions) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort("timed_out" satisfies Ending), waitMs);
    const giveUp = () => controller.abort("given_up" satisfies Ending);
    // One signal may well end many waits.
    if (signal !== undefined) setMaxListeners(0, signal);
    if (signal?.aborted) giveUp();
    signal?.addEventListener("abort", giveUp);
    if (name !== undefined) {
      this.#running.get(name)?.abort("superseded" satisfies Ending);
      this.#running.set(name, controller);
    }
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      if (name !== undefined && this.#running.get(name) === controller) this.#running.delete(name);
    };
    return { signal: controller.signal, end };
  }

  #keep(name: string, sinceMs: number): void {
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

/** undefined while Redis is away: whoever waits outlasts that, as long as its time is not over. */
async function lookThroughOutages<Reply>(
  look: () => Promise<Sight<Reply>>,
  signal: AbortSignal,
): Promise<Sight<Reply> | undefined> {
  try {
    return await look();
  } catch (error) {
    const isAway = error instanceof UnavailableError || error instanceof UnknownOutcomeError;
    if (!isAway || signal.aborted) throw error;
    return undefined;
  }
}

/** A grant that arrives after its caller has gone is given back; one after a later request of the same id is that one's. */
function unlessGivenUp<Reply extends Taken>(taken: Reply, signal: AbortSignal): Reply {
  const ending = endingOf(signal);
  if (ending === undefined || ending === "timed_out") return taken;
  if (ending === "given_up") taken.giveUp();
  throw new AbortedError("The wait was given up; nothing is held.");
}

function endingOf(signal: AbortSignal): Ending | undefined {
  return signal.aborted ? (signal.reason as Ending) : undefined;
}

function endedBy(signal: AbortSignal, refusal: HeldError): WaitTimeoutError | AbortedError {
  if (endingOf(signal) === "timed_out") {
    return new WaitTimeoutError(`The wait is over. ${refusal.message}`, refusal.facts);
  }
  return new AbortedError("The wait was given up; nothing is held.");
}
