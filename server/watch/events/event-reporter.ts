import type { FormatName } from "../../../lib/contract/format.ts";
import { fieldsOfKey, type Key, textOfKey } from "../../../lib/keys/key.ts";
import type { Journal } from "../../history/journal.ts";
import { type OwnEvent, wordOf } from "../connection/script-event.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { TOLERANCE_MS } from "../holds/renewal-history.ts";
import {
  endingOf,
  type Hint,
  hasOwnWord,
  isOpen,
  type Present,
  type Tale,
  type Told,
  tellDerived,
  tellExact,
} from "./event-derivation.ts";
import { Forced } from "./force-released-holds.ts";
import { presentsOf, talesOf } from "./holder-state.ts";

/** Time for the word of our own scripts to arrive before we conclude anything about their work ourselves. */
const GRACE_MS = 50;
/** How many ended holds are remembered, so that a late word of one is not told as news. */
const ENDED_MAX = 1000;

export interface Sighting {
  readonly key: Key;
  readonly hold: Hold | undefined;
  /** The picture has it, too: there was room. */
  readonly isKept: boolean;
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
  /**
   * What has been told: of nearly all locks what the last look showed, which is kept anyway; else one tale for each
   * holder, until the next look.
   */
  readonly #told = new Map<Key, Hold | readonly Tale[]>();
  readonly #ended = new Map<Key, Tale>();
  readonly #forced = new Forced();
  readonly #exactAt = new Map<Key, number>();
  readonly #waiting = new Map<Key, { signature: string; hint: Hint; timer: NodeJS.Timeout }>();

  constructor(
    private readonly target: string,
    private readonly journal: Journal,
    /** Has the key read soon; false for a key that nobody watches. */
    private readonly lookAgain: (key: Key) => boolean,
  ) {}

  /** @param heard how Redis said that the hold before it ended, when no look has told of that yet */
  exact(said: OwnEvent, heard?: Hint): void {
    if (said.type === "waiting" || said.type === "wait_ended") {
      const { type, at, owner } = said;
      this.#append(said.key, [{ type, at, owner, fence: null, observed: "exact" }]);
      this.lookAgain(said.key);
      return;
    }
    const event = this.#withOwner(said);
    const isWatched = this.lookAgain(event.key);
    const hint = heard ?? this.#waiting.get(event.key)?.hint;
    const { known, others } = this.#taleOf(event);
    const { tale, events } = tellExact(known, event, hint);
    // Our verbs take a lock that nobody else has.
    const isAlone = event.type === "acquired" && events.length > 0;
    const endings = isAlone ? others.map((other) => endingOf(other, event.at, hint)) : [];
    if (event.type === "acquired") this.#stopWaiting(event.key);
    if (event.type === "force_released" && event.fence === null)
      this.#forced.add(event.key, event.owner, { at: event.at });
    if (isWatched) {
      this.#exactAt.set(event.key, performance.now());
      this.#keep(event.key, [...(isAlone ? [] : others), ...(tale === undefined ? [] : [tale])]);
    }
    this.#append(event.key, [...endings, ...events]);
  }

  /** As looking shows the owner. */
  #withOwner(event: OwnEvent): OwnEvent {
    if (event.fence !== null) return event;
    const meant = this.#talesOf(event.key).find(({ owner }) => wordOf(owner) === event.owner);
    return meant === undefined ? event : { ...event, owner: meant.owner };
  }

  /** The tale that an event goes on with, and those of everybody else. */
  #taleOf({ key, owner, fence, count }: OwnEvent): { known: Tale | undefined; others: readonly Tale[] } {
    const open = this.#talesOf(key);
    const same = open.find((tale) => tale.owner === owner && tale.fence === fence);
    // The end of a holder of whom nothing was told says nothing of another.
    const isOfNone = same === undefined && fence === null && count === 0;
    const known = same ?? (isOfNone ? undefined : open[0]);
    return { known: known ?? this.#ended.get(key), others: open.filter((tale) => tale !== known) };
  }

  /** An operator freed a hold of another library, and said which. */
  freedAs(key: Key, owner: Key, format: FormatName): void {
    this.#forced.add(key, owner, { as: format });
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
    const tales = this.#talesOf(key);
    const presents = presentsOf(sighting, this.#forced);
    const signature = signatureOf(tales, presents);
    if (waited !== undefined && waited.signature !== signature) this.#stopWaiting(key);
    if (mayBeOurWork(tales, presents, sighting.asOf, hint) && waited?.signature !== signature) {
      this.#wait(key, signature, hint);
      return;
    }
    this.#stopWaiting(key);
    const told = tellDerived(tales, presents, sighting.asOf, hint);
    this.#keep(key, told.tales, sighting.isKept ? sighting.hold : undefined);
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

  #talesOf(key: Key): readonly Tale[] {
    const told = this.#told.get(key);
    if (told === undefined) return [];
    return "holders" in told ? talesOf(told) : told;
  }

  /** @param hold the look that the open ones are of, if it is kept anyway */
  #keep(key: Key, tales: readonly Tale[], hold?: Hold): void {
    const open = tales.filter(isOpen);
    if (open.length > 0) this.#told.set(key, hold ?? open);
    else this.#told.delete(key);
    const ended = tales.findLast((tale) => !isOpen(tale));
    if (ended === undefined) return;
    this.#ended.delete(key);
    this.#ended.set(key, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
  }

  #append(key: Key, events: readonly Told[]): void {
    for (const { fence, owner, ...event } of events) {
      this.journal.append({
        target: this.target,
        ...fieldsOfKey(key),
        ...event,
        owner: textOfKey(owner),
        ...(fence === null ? {} : { fence }),
      });
    }
  }
}

function mayBeOurWork(
  tales: readonly Tale[],
  presents: readonly Present[],
  asOf: number,
  hint: Hint,
): boolean {
  // How the hold before it ended says nothing of how this one began.
  const ours = presents.filter(({ holder }) => hasOwnWord(holder));
  if (ours.length > 0) return ours.some((present) => !present.isFirstLook && !isTold(tales, present));
  if (hint === "evicted" || hint === "expired") return false;
  return tales.some((tale) => {
    if (tale.fence !== null && !hasOwnWord(tale)) return false;
    if (presents.some(({ holder }) => holder.owner === tale.owner)) return false;
    return typeof tale.endsAtMs !== "number" || asOf < tale.endsAtMs - TOLERANCE_MS;
  });
}

function isTold(tales: readonly Tale[], { holder }: Present): boolean {
  return tales.some(({ fence, seq }) => fence === holder.fence && seq === holder.seq);
}

function signatureOf(tales: readonly Tale[], presents: readonly Present[]): string {
  const holders = [...tales, ...presents.map(({ holder }) => holder)];
  return [tales.length, ...holders.flatMap(({ owner, fence, seq }) => [owner, fence, seq])].join("\n");
}
