/** Maximum time, in ms, between an operator's extension on the first and the last master. */
const EXTENSION_MS_MAX = 1000;

/**
 * The masters' reports of an operator's extensions of one key. The deadlines of the masters change one after the other,
 * so a later deadline is not a renewal while an extension is in progress. Times are `performance.now()`.
 */
export class ExtensionReports<Of> {
  /** When the first master reported the last extension. */
  #beganAt = Number.NEGATIVE_INFINITY;
  /** The masters with a vote for the hold that have not reported this extension yet. */
  #missing = new Set<Of>();
  /** When each master's last report arrived. */
  readonly #reportedAt = new Map<Of, number>();

  /** Whether an operator has extended the lease less than 1 s ago, and not all masters of the hold have reported it. */
  get isInProgress(): boolean {
    return this.#missing.size > 0 && performance.now() - this.#beganAt < EXTENSION_MS_MAX;
  }

  /**
   * Records a master's report. Ignores a report that is already recorded: a report that arrives while the key is being
   * read applies to two reads.
   *
   * @param reportedAt when the report arrived
   * @param holding the masters with a vote for the hold
   */
  record(voter: Of, reportedAt: number, holding: readonly Of[]): void {
    if (this.#reportedAt.get(voter) === reportedAt) return;
    this.#reportedAt.set(voter, reportedAt);
    if (!this.isInProgress) {
      this.#beganAt = performance.now();
      this.#missing = new Set(holding);
    }
    this.#missing.delete(voter);
  }
}
