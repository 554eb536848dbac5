import type { FormatName } from "../../../lib/contract/format.ts";
import { formatKey, type Key, toKeyFields } from "../../../lib/keys/key.ts";
import type { Journal } from "../../history/journal.ts";
import { type ScriptEvent, toMessageOwner } from "../connection/script-event.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { CLOCK_TOLERANCE_MS } from "../holds/renewal-history.ts";
import {
  type CurrentHolder,
  createEndEvent,
  deriveEvents,
  type EndCause,
  eventsFromScript,
  hasScriptEvents,
  isOpen,
  type NewEvent,
  type ReportedHold,
} from "./event-derivation.ts";
import { ForceReleasedHolds } from "./force-released-holds.ts";
import { listCurrentHolders, toReportedHolds } from "./holder-state.ts";

/** Time for the word of our own scripts to arrive before we conclude anything about their work ourselves. */
const SCRIPT_EVENT_GRACE_MS = 50;
/** How many ended holds are remembered, so that a late word of one is not told as news. */
const ENDED_HOLDS_MAX = 1000;

export interface ReportedReading {
  readonly key: Key;
  readonly hold: ObservedHold | undefined;
  /** The picture has it, too: there was room. */
  readonly isIndexed: boolean;
  /** Redis's clock at the look. */
  readonly asOf: number;
  readonly sentAt: number;
  readonly endCause: EndCause;
  readonly isInitialScan: boolean;
}

/**
 * Turns what our scripts say and what looking shows into one story without doublets. A script's own word is
 * exact and tells who and why; what looking shows is concluded, and waits a moment where such a word may still
 * be on its way.
 */
export class EventReporter {
  /**
   * What has been told: of nearly all locks what the last look showed, which is kept anyway; else one tale for each
   * holder, until the next look.
   */
  readonly #reported = new Map<Key, ObservedHold | readonly ReportedHold[]>();
  readonly #endedHolds = new Map<Key, ReportedHold>();
  readonly #forceReleased = new ForceReleasedHolds();
  readonly #scriptEventAt = new Map<Key, number>();
  readonly #deferred = new Map<Key, { signature: string; endCause: EndCause; timer: NodeJS.Timeout }>();

  constructor(
    private readonly target: string,
    private readonly journal: Journal,
    /** Has the key read soon; false for a key that nobody watches. */
    private readonly requestReread: (key: Key) => boolean,
  ) {}

  /** @param heard how Redis said that the hold before it ended, when no look has told of that yet */
  reportScriptEvent(said: ScriptEvent, heard?: EndCause): void {
    if (said.type === "waiting" || said.type === "wait_ended") {
      const { type, at, owner } = said;
      this.#appendEvents(said.key, [{ type, at, owner, fence: null, observed: "exact" }]);
      this.requestReread(said.key);
      return;
    }
    const event = this.#resolveOwner(said);
    const isWatched = this.requestReread(event.key);
    const endCause = heard ?? this.#deferred.get(event.key)?.endCause;
    const { known, others } = this.#findReportedHold(event);
    const { tale, events } = eventsFromScript(known, event, endCause);
    // Our verbs take a lock that nobody else has.
    const isAlone = event.type === "acquired" && events.length > 0;
    const endings = isAlone ? others.map((other) => createEndEvent(other, event.at, endCause)) : [];
    if (event.type === "acquired") this.#cancelDeferral(event.key);
    if (event.type === "force_released" && event.fence === null)
      this.#forceReleased.add(event.key, event.owner, { at: event.at });
    if (isWatched) {
      this.#scriptEventAt.set(event.key, performance.now());
      this.#storeReported(event.key, [...(isAlone ? [] : others), ...(tale === undefined ? [] : [tale])]);
    }
    this.#appendEvents(event.key, [...endings, ...events]);
  }

  /** As looking shows the owner. */
  #resolveOwner(event: ScriptEvent): ScriptEvent {
    if (event.fence !== null) return event;
    const meant = this.#listReportedHolds(event.key).find(
      ({ owner }) => toMessageOwner(owner) === event.owner,
    );
    return meant === undefined ? event : { ...event, owner: meant.owner };
  }

  /** The tale that an event goes on with, and those of everybody else. */
  #findReportedHold({ key, owner, fence, count }: ScriptEvent): {
    known: ReportedHold | undefined;
    others: readonly ReportedHold[];
  } {
    const open = this.#listReportedHolds(key);
    const same = open.find((tale) => tale.owner === owner && tale.fence === fence);
    // The end of a holder of whom nothing was told says nothing of another.
    const isOfNone = same === undefined && fence === null && count === 0;
    const known = same ?? (isOfNone ? undefined : open[0]);
    return { known: known ?? this.#endedHolds.get(key), others: open.filter((tale) => tale !== known) };
  }

  /** An operator freed a hold of another library, and said which. */
  recordForceRelease(key: Key, owner: Key, format: FormatName): void {
    this.#forceReleased.add(key, owner, { as: format });
  }

  reportReading(sighting: ReportedReading): void {
    const { key, sentAt } = sighting;
    const exactAt = this.#scriptEventAt.get(key);
    if (exactAt !== undefined) {
      // The look began before the script's word arrived and may show the time before it.
      if (sentAt <= exactAt) {
        this.requestReread(key);
        return;
      }
      this.#scriptEventAt.delete(key);
    }
    const waited = this.#deferred.get(key);
    const endCause = sighting.endCause ?? waited?.endCause;
    const tales = this.#listReportedHolds(key);
    const presents = listCurrentHolders(sighting, this.#forceReleased);
    const signature = buildSignature(tales, presents);
    if (waited !== undefined && waited.signature !== signature) this.#cancelDeferral(key);
    if (canBeScriptChange(tales, presents, sighting.asOf, endCause) && waited?.signature !== signature) {
      this.#defer(key, signature, endCause);
      return;
    }
    this.#cancelDeferral(key);
    const told = deriveEvents(tales, presents, sighting.asOf, endCause);
    this.#storeReported(key, told.tales, sighting.isIndexed ? sighting.hold : undefined);
    this.#appendEvents(key, told.events);
  }

  stop(): void {
    for (const key of [...this.#deferred.keys()]) this.#cancelDeferral(key);
  }

  #defer(key: Key, signature: string, endCause: EndCause): void {
    const timer = setTimeout(() => this.requestReread(key), SCRIPT_EVENT_GRACE_MS);
    timer.unref();
    this.#deferred.set(key, { signature, endCause, timer });
  }

  #cancelDeferral(key: Key): void {
    clearTimeout(this.#deferred.get(key)?.timer);
    this.#deferred.delete(key);
  }

  #listReportedHolds(key: Key): readonly ReportedHold[] {
    const told = this.#reported.get(key);
    if (told === undefined) return [];
    return "holders" in told ? toReportedHolds(told) : told;
  }

  /** @param hold the look that the open ones are of, if it is kept anyway */
  #storeReported(key: Key, tales: readonly ReportedHold[], hold?: ObservedHold): void {
    const open = tales.filter(isOpen);
    if (open.length > 0) this.#reported.set(key, hold ?? open);
    else this.#reported.delete(key);
    const ended = tales.findLast((tale) => !isOpen(tale));
    if (ended === undefined) return;
    this.#endedHolds.delete(key);
    this.#endedHolds.set(key, ended);
    const [oldest] = this.#endedHolds.keys();
    if (this.#endedHolds.size > ENDED_HOLDS_MAX && oldest !== undefined) this.#endedHolds.delete(oldest);
  }

  #appendEvents(key: Key, events: readonly NewEvent[]): void {
    for (const { fence, owner, ...event } of events) {
      this.journal.append({
        target: this.target,
        ...toKeyFields(key),
        ...event,
        owner: formatKey(owner),
        ...(fence === null ? {} : { fence }),
      });
    }
  }
}

function canBeScriptChange(
  tales: readonly ReportedHold[],
  presents: readonly CurrentHolder[],
  asOf: number,
  endCause: EndCause,
): boolean {
  // How the hold before it ended says nothing of how this one began.
  const ours = presents.filter(({ holder }) => hasScriptEvents(holder));
  if (ours.length > 0) return ours.some((present) => !present.isInitialScan && !isReported(tales, present));
  if (endCause === "evicted" || endCause === "expired") return false;
  return tales.some((tale) => {
    if (tale.fence !== null && !hasScriptEvents(tale)) return false;
    if (presents.some(({ holder }) => holder.owner === tale.owner)) return false;
    return typeof tale.endsAtMs !== "number" || asOf < tale.endsAtMs - CLOCK_TOLERANCE_MS;
  });
}

function isReported(tales: readonly ReportedHold[], { holder }: CurrentHolder): boolean {
  return tales.some(({ fence, seq }) => fence === holder.fence && seq === holder.seq);
}

function buildSignature(tales: readonly ReportedHold[], presents: readonly CurrentHolder[]): string {
  const holders = [...tales, ...presents.map(({ holder }) => holder)];
  return [tales.length, ...holders.flatMap(({ owner, fence, seq }) => [owner, fence, seq])].join("\n");
}
