/** Maximum time, in ms, for which an extension is in progress if not all masters report it. */
const EXTENSION_MS_MAX = 1000;
/** Maximum time, in ms, by which a report can be later than the first report of the same extension. */
const LATE_REPORT_MS_MAX = 10_000;

/**
 * The masters' reports of an operator's extensions of one key. The deadlines of the masters change one after the other,
 * so a later deadline is not a renewal while an extension is in progress. Times are values of `performance.now()`.
 */
export class ExtensionReports<Of> {
  /** When the first master reported the last extension. */
  #beganAt = Number.NEGATIVE_INFINITY;
  /** Number of extensions that each master has not reported yet. Contains no zeros. */
  readonly #missing = new Map<Of, number>();
  /** When each master's last report arrived. */
  readonly #reportedAt = new Map<Of, number>();
  /** Whether the last extension has changed the deadline of the hold. */
  #isShown = false;

  /** Whether an operator has extended the lease less than 1 s ago, and not all masters of the hold have reported it. */
  get isInProgress(): boolean {
    return this.#missing.size > 0 && performance.now() - this.#beganAt < EXTENSION_MS_MAX;
  }

  /**
   * Records a master's report. A report belongs to the earliest extension that the master has not reported. If the
   * master has reported all extensions, the report begins a new one. Ignores a report that is already recorded, because
   * a report that arrives while the key is being read applies to two reads.
   *
   * @param reportedAt when the report arrived
   * @param holding the masters with a vote for the hold
   */
  record(voter: Of, reportedAt: number, holding: readonly Of[]): void {
    if (this.#reportedAt.get(voter) === reportedAt) return;
    this.#reportedAt.set(voter, reportedAt);
    if (reportedAt - this.#beganAt > LATE_REPORT_MS_MAX) this.#missing.clear();
    if (this.#missing.has(voter)) this.#addMissing(voter, -1);
    else this.#begin(voter, reportedAt, holding);
  }

  /** Records a change of the hold's deadline. Returns whether the same extension had already changed it. */
  recordChange(): boolean {
    const wasShown = this.#isShown;
    this.#isShown = true;
    return wasShown;
  }

  #begin(voter: Of, reportedAt: number, holding: readonly Of[]): void {
    this.#beganAt = reportedAt;
    this.#isShown = false;
    for (const other of holding) if (other !== voter) this.#addMissing(other, 1);
  }

  #addMissing(voter: Of, count: number): void {
    const missing = (this.#missing.get(voter) ?? 0) + count;
    if (missing === 0) this.#missing.delete(voter);
    else this.#missing.set(voter, missing);
  }
}
