import { fieldsOfKey, type Key } from "../../lib/contract/key.ts";
import type { Journal } from "../history/journal.ts";
import { type Hold, sinceOf } from "./hold.ts";
import type { OwnEvent } from "./own-event.ts";
import {
  type Hint,
  isOpen,
  type Present,
  type Tale,
  TOLERANCE_MS,
  type Told,
  tellDerived,
  tellExact,
} from "./tale.ts";

/** Time for the word of our own scripts to arrive before we conclude anything about their work ourselves. */
const GRACE_MS = 50;
/** How many ended holds are remembered, so that a late word of one is not told as news. */
const ENDED_MAX = 1000;

export interface Sighting {
  readonly key: Key;
  readonly hold: Hold | undefined;
  /** Redis's clock at the look. */
  readonly asOf: number;
  readonly sentAt: number;
  readonly hint: Hint;
  readonly isFirstLook: boolean;
}

/**
 * Turns what our scripts say and what looking shows into one story without doublets. A script's own word is
 * exact and tells who and why; what looking shows is concluded, and waits a moment where such a word may still
 * be on its way.
 */
export class Reporter {
  readonly #tales = new Map<Key, Tale>();
  readonly #ended = new Map<Key, Tale>();
  readonly #exactAt = new Map<Key, number>();
  readonly #waiting = new Map<Key, { signature: string; hint: Hint; timer: NodeJS.Timeout }>();

  constructor(
    private readonly target: string,
    private readonly journal: Journal,
    /** Has the key read soon; false for a key that nobody watches. */
    private readonly lookAgain: (key: Key) => boolean,
  ) {}

  /** @param heard how Redis said that the hold before it ended, when no look has told of that yet */
  exact(event: OwnEvent, heard?: Hint): void {
    if (event.type === "waiting" || event.type === "wait_ended") {
      const { type, at, owner } = event;
      this.#append(event.key, [{ type, at, owner, fence: null, observed: "exact" }]);
      return;
    }
    const isWatched = this.lookAgain(event.key);
    const known = this.#tales.get(event.key) ?? this.#ended.get(event.key);
    const { tale, events } = tellExact(known, event, heard ?? this.#waiting.get(event.key)?.hint);
    if (event.type === "acquired") this.#stopWaiting(event.key);
    if (isWatched) {
      this.#exactAt.set(event.key, performance.now());
      this.#keep(event.key, tale);
    }
    this.#append(event.key, events);
  }

  sighted(sighting: Sighting): void {
    const { key, sentAt } = sighting;
    const exactAt = this.#exactAt.get(key);
    if (exactAt !== undefined) {
      // The look began before the script's word arrived and may show the time before it.
      if (sentAt <= exactAt) {
        this.lookAgain(key);
        return;
      }
      this.#exactAt.delete(key);
    }
    const waited = this.#waiting.get(key);
    const hint = sighting.hint ?? waited?.hint;
    const tale = this.#tales.get(key);
    const present = presentOf(sighting);
    const signature = signatureOf(tale, present);
    if (waited !== undefined && waited.signature !== signature) this.#stopWaiting(key);
    if (mayBeOurWork(tale, present, sighting.asOf, hint) && waited?.signature !== signature) {
      this.#wait(key, signature, hint);
      return;
    }
    this.#stopWaiting(key);
    const told = tellDerived(tale, present, sighting.asOf, hint);
    this.#keep(key, told.tale);
    this.#append(key, told.events);
  }

  stop(): void {
    for (const key of [...this.#waiting.keys()]) this.#stopWaiting(key);
  }

  #wait(key: Key, signature: string, hint: Hint): void {
    const timer = setTimeout(() => this.lookAgain(key), GRACE_MS);
    timer.unref();
    this.#waiting.set(key, { signature, hint, timer });
  }

  #stopWaiting(key: Key): void {
    clearTimeout(this.#waiting.get(key)?.timer);
    this.#waiting.delete(key);
  }

  #keep(key: Key, tale: Tale | undefined): void {
    if (isOpen(tale)) {
      this.#tales.set(key, tale);
      return;
    }
    this.#tales.delete(key);
    if (tale === undefined) return;
    this.#ended.delete(key);
    this.#ended.set(key, tale);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
  }

  #append(key: Key, events: readonly Told[]): void {
    for (const { fence, ...event } of events) {
      this.journal.append({
        target: this.target,
        ...fieldsOfKey(key),
        ...event,
        ...(fence === null ? {} : { fence }),
      });
    }
  }
}

function presentOf({ hold, isFirstLook }: Sighting): Present | undefined {
  if (hold === undefined) return undefined;
  return { seen: hold.seen, epoch: hold.epoch, sinceMs: sinceOf(hold).since, isFirstLook };
}

function mayBeOurWork(
  tale: Tale | undefined,
  present: Present | undefined,
  asOf: number,
  hint: Hint,
): boolean {
  const [holder] = present?.seen.holders ?? [];
  // How the hold before it ended says nothing of how this one began.
  if (holder?.fence) {
    const isToldAlready = tale?.fence === holder.fence && tale.seq === holder.seq;
    return !isToldAlready && present?.isFirstLook === false;
  }
  if (hint === "evicted" || hint === "expired") return false;
  if (tale === undefined || (holder !== undefined && holder.owner === tale.owner)) return false;
  return typeof tale.endsAtMs !== "number" || asOf < tale.endsAtMs - TOLERANCE_MS;
}

function signatureOf(tale: Tale | undefined, present: Present | undefined): string {
  const [holder] = present?.seen.holders ?? [];
  return [tale?.owner, tale?.fence, tale?.seq, holder?.owner, holder?.fence, holder?.seq].join("\n");
}
