import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { outlastsGap } from "./gap-continuity.ts";
import { hasCertainIdentity, isSameHolder } from "./holder-identity.ts";
import type { ObservedHold, ObservedHolder } from "./observed-hold.ts";
import { type Recurrence, recordRecurrence } from "./recurrence.ts";

/** What is known about the time between the previous and the current observation of a lock. */
export interface ObservationContext {
  /**
   * Whether the key was reported as removed since the previous observation. If true, a hold of the same owner counts as
   * a new hold, unless its fencing token or owner string proves that it is the same hold.
   */
  readonly wasGone: boolean;
  /**
   * Whether a present holder may have left the lock and acquired it again. True if notifications reported more exits
   * than there are missing holders, or if they may have reported the end of the observed hold.
   */
  readonly hasAmbiguousExit?: boolean;
  /** Whether an operator extended the lease, which is not evidence that the holder is alive. */
  readonly isExtended?: boolean;
  /** `exact` if a hold that first appears in this observation must have begun after the previous observation. */
  readonly since: "exact" | "at_least";
  /** Identifies the period of uninterrupted observation. */
  readonly continuityId: string;
  /** Value for `ObservedHold.isListed`; true by default. */
  readonly isListed?: boolean;
}

/**
 * Matches the holders of an observation with those of the previous one. Each previous holder can be matched only once.
 * A class instead of closures, because closures with a name would slow down each observation (decision 81).
 */
export class HolderMatcher {
  /** Whether a matched holder certainly continues its hold. */
  isContinuous = false;
  recurrence: Recurrence | undefined;
  readonly #unmatched: ObservedHolder[];
  readonly #hasGap: boolean;

  constructor(
    private readonly before: ObservedHold | undefined,
    private readonly seen: HeldObservation,
    private readonly context: ObservationContext,
    private readonly newEpoch: () => number,
  ) {
    this.#unmatched = [...(before?.holders ?? [])];
    this.recurrence = before?.recurrence;
    this.#hasGap = before !== undefined && before.continuityId !== context.continuityId;
  }

  continueOrStartHold(holder: SeenHolder): ObservedHolder {
    const { before, seen, context } = this;
    const was = this.#takeMatch(holder);
    if (before === undefined || was === undefined) return this.#start(holder);
    // The lock became free when the previous hold ended, so a held lock is a new hold.
    const hasEnded = before.seen.state === "ended" && seen.state === "held";
    const isSure = hasCertainIdentity(seen, holder);
    if (!isSure && (context.wasGone || hasEnded)) {
      this.recurrence = recordRecurrence(before.recurrence, seen.asOf);
      return this.#start(holder);
    }
    // The same owner may have released and acquired the lock again during a gap.
    const isSame = !this.#hasGap || outlastsGap(before, was.seen, seen, holder);
    if (isSure || (isSame && !context.hasAmbiguousExit)) {
      this.isContinuous = true;
      return continueHolder(was, holder);
    }
    const ambiguousExits = was.ambiguousExits + (this.#hasGap ? 0 : 1);
    return { ...was, seen: holder, ambiguousExits, firstSeenMs: seen.asOf, since: "at_least" };
  }

  /** Whether any of the holders has the epoch of a previous holder. */
  includesPrevious(holders: readonly ObservedHolder[]): boolean {
    const known = this.before?.holders ?? [];
    return holders.some(({ epoch }) => known.some((each) => each.epoch === epoch));
  }

  #start(holder: SeenHolder): ObservedHolder {
    // A hold begins after the removal that it follows. If notifications were lost, the removal may have preceded the
    // gap, so the start is unknown.
    const since = this.context.wasGone && !this.#hasGap ? "exact" : this.context.since;
    return startHolder(holder, this.seen.asOf, since, this.newEpoch());
  }

  #takeMatch(holder: SeenHolder): ObservedHolder | undefined {
    const at = this.#unmatched.findIndex(({ seen }) => isSameHolder(seen, holder));
    return at < 0 ? undefined : this.#unmatched.splice(at, 1)[0];
  }
}

/** Returns the next state of a holder whose hold continues. */
export function continueHolder(
  { epoch, firstSeenMs, since, ambiguousExits }: ObservedHolder,
  seen: SeenHolder,
): ObservedHolder {
  return { seen, epoch, firstSeenMs, since, ambiguousExits: ambiguousExits };
}

function startHolder(
  seen: SeenHolder,
  firstSeenMs: number,
  since: ObservedHolder["since"],
  epoch: number,
): ObservedHolder {
  return { seen, epoch, firstSeenMs, since, ambiguousExits: 0 };
}
