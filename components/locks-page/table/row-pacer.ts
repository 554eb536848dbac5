/**
 * What a row shows. `key`: only the key, because the row is being scrolled past. `text`: everything except actions that
 * are not visible yet.
 */
export type RowStage = "key" | "text" | "complete";

export interface PacedRow {
  readonly stage: RowStage;
  setStage(stage: RowStage): void;
}

/** Number of rows to complete per frame. Completing a screen of rows in one task takes longer than a frame. */
export const ROWS_PER_FRAME = 6;
/** Delay, in ms, between the last new row and the first row that gets its actions. */
const SETTLE_MS = 150;
/**
 * Delay, in ms, for the text of rows that were scrolled past. Shorter than `SETTLE_MS`, because the operator waits for
 * the text.
 */
const TEXT_SETTLE_MS = 40;
/** Maximum delay in ms. A constant stream of new rows must not starve the others. */
const WAIT_MAX_MS = 400;

export interface FramePorts {
  now(): number;
  runInFrame(run: () => void, afterMs: number): void;
}

interface PendingRow {
  readonly row: PacedRow;
  readonly since: number;
}

/** Spreads the rendering of rows over frames. Scrolling then never waits for a whole screen of rows. */
export class RowPacer {
  /** Whether the rows are scrolling, so that only `ROWS_PER_FRAME` new rows per frame show their text immediately. */
  isScrolling = false;
  readonly #ports: FramePorts;
  readonly #pending = new Map<PacedRow, PendingRow>();
  #lastAdmittedAt = Number.NEGATIVE_INFINITY;
  #admittedInFrame = 0;
  #isScheduled = false;

  constructor(ports: FramePorts) {
    this.#ports = ports;
  }

  /** Returns the stage in which to render a new row. */
  admit(): RowStage {
    const now = this.#ports.now();
    if (now - this.#lastAdmittedAt > 8) this.#admittedInFrame = 0;
    this.#lastAdmittedAt = now;
    this.#admittedInFrame++;
    return this.isScrolling && this.#admittedInFrame > ROWS_PER_FRAME ? "key" : "text";
  }

  /** Schedules the next stage of a row. @returns a function that cancels it */
  wait(row: PacedRow): () => void {
    this.#pending.set(row, { row, since: this.#ports.now() });
    this.#schedule();
    return () => void this.#pending.delete(row);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#pending.size === 0) return;
    this.#isScheduled = true;
    const now = this.#ports.now();
    const dueAt = Math.min(...[...this.#pending.values()].map((pending) => this.#getDueAt(pending)));
    this.#ports.runInFrame(() => {
      this.#isScheduled = false;
      this.#advanceRows();
      this.#schedule();
    }, dueAt - now);
  }

  #getDueAt({ row, since }: PendingRow): number {
    const settleMs = row.stage === "key" ? TEXT_SETTLE_MS : SETTLE_MS;
    return Math.min(Math.max(since, this.#lastAdmittedAt) + settleMs, since + WAIT_MAX_MS);
  }

  /** Sets the next stage of up to `ROWS_PER_FRAME` rows that are due. Rows without text come first. */
  #advanceRows(): void {
    const now = this.#ports.now();
    const due = [...this.#pending.values()].filter((pending) => this.#getDueAt(pending) <= now);
    const withoutText = due.filter(({ row }) => row.stage === "key");
    for (const { row } of (withoutText.length > 0 ? withoutText : due).slice(0, ROWS_PER_FRAME)) {
      this.#pending.delete(row);
      row.setStage(row.stage === "key" ? "text" : "complete");
    }
  }
}

export function createRowPacer(): RowPacer {
  return new RowPacer({
    now: () => performance.now(),
    runInFrame: (run, afterMs) => void setTimeout(() => requestAnimationFrame(run), Math.max(0, afterMs)),
  });
}
