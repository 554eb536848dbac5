import { settleQuorum } from "../../concurrency/settle-quorum.ts";
import { NeverSentError } from "../../redis/failure.ts";
import { computeMajority } from "../../redis/majority.ts";
import type { Master } from "../../redis/master.ts";
import { NO_CONTINUITY } from "../holds/hold-version.ts";
import type { ObservationContext } from "../holds/holder-matcher.ts";
import type { MasterWatch } from "./master-watch.ts";
import { PendingNotifications } from "./pending-notifications.ts";

/** A master of a quorum, with its pending notifications and its connection state. */
export class VoterState {
  readonly pendingNotifications = new PendingNotifications();
  term = 0;
  wasUp = false;

  constructor(readonly watch: MasterWatch) {}

  get isUp(): boolean {
    return this.watch.connection.isUp;
  }
}

/** The masters of a quorum. The set never changes, but each master can disconnect and reconnect. */
export class VoterSet {
  readonly #states = new Map<MasterWatch, VoterState>();

  /** @param watches the watches of all masters; may be filled after this set is created */
  constructor(private readonly watches: ReadonlyMap<Master, MasterWatch>) {}

  get all(): readonly VoterState[] {
    return [...this.watches.values()].map((watch) => this.get(watch));
  }

  get up(): readonly VoterState[] {
    return this.all.filter(({ isUp }) => isUp);
  }

  get majority(): number {
    return computeMajority(this.all.length);
  }

  get(at: MasterWatch): VoterState {
    const known = this.#states.get(at);
    if (known !== undefined) return known;
    const voter = new VoterState(at);
    this.#states.set(at, voter);
    return voter;
  }

  /**
   * Starts a new term for each master that has disconnected since the last call.
   *
   * @returns whether any master has connected or disconnected
   */
  updateTerms(): boolean {
    let hasChanged = false;
    for (const voter of this.all) {
      if (voter.wasUp === voter.isUp) continue;
      hasChanged = true;
      voter.wasUp = voter.isUp;
      // Observations from before a disconnection do not count in the new term.
      if (!voter.isUp) voter.term++;
    }
    return hasChanged;
  }

  /**
   * Describes how completely the masters are observed. The observation is complete if a majority of the masters is
   * fully observed, because a majority decides.
   */
  describeCoverage(): Pick<ObservationContext, "since" | "continuityId"> & {
    readonly isInitialScan: boolean;
  } {
    const { all, majority } = this;
    const watching = all.filter(
      ({ isUp, watch: { connection, reconciliation } }) =>
        isUp && connection.seesChanges && reconciliation.isCaughtUp,
    );
    const continuityIds = all.map(({ watch: { connection } }) =>
      connection.seesChanges ? connection.continuityId : NO_CONTINUITY,
    );
    const isSeeing = continuityIds.filter((id) => id !== NO_CONTINUITY).length >= majority;
    const scanned = all.filter(({ watch: { reconciliation } }) => !reconciliation.isInitialScan);
    return {
      since: watching.length >= majority ? "exact" : "at_least",
      continuityId: isSeeing ? continuityIds.join("_") : NO_CONTINUITY,
      isInitialScan: scanned.length < majority,
    };
  }

  /**
   * Runs a read on all connected masters. Resolves when all reads have settled, or 50 ms after a majority has
   * succeeded.
   *
   * @throws NeverSentError if the reads succeed on less than a majority of all masters
   */
  async runOnMajority(run: (watch: MasterWatch) => Promise<unknown>): Promise<void> {
    const reads = this.up.map(({ watch }) => run(watch));
    const answered = await settleQuorum(reads, this.majority);
    if (answered >= this.majority) return;
    throw new NeverSentError(
      `${answered} of ${this.all.length} masters responded, and ${this.majority} are required`,
    );
  }
}
