/**
 * What a row shows. `key`: only the key, while the operator scrolls past the row. `text`: all text, but not the buttons
 * that appear only on hover, focus or touch screens. `complete`: everything.
 */
export type RowStage = "key" | "text" | "complete";

export interface PacedRow {
  readonly stage: RowStage;
  setStage(stage: RowStage): void;
}

/**
 * Maximum number of rows that get their next stage in one frame. Limited because rendering a whole screen of rows takes
 * longer than a frame.
 */
export const ROWS_PER_FRAME = 6;
/** Delay in ms from the last new row until rows with text get their actions. */
const SETTLE_MS = 150;
/**
 * Delay in ms from the last new row until rows without text get their text. Shorter than `SETTLE_MS`, because the
 * operator waits for the text.
 */
const TEXT_SETTLE_MS = 40;
/** Maximum delay in ms until a row gets its next stage, even if new rows keep arriving. */
const WAIT_MAX_MS = 400;

export interface FramePorts {
  now(): number;
  runInFrame(run: () => void, afterMs: number): void;
}

interface PendingRow {
  readonly row: PacedRow;
  readonly since: number;
}

/**
 * Spreads the rendering of rows over several frames, so that rendering a whole screen of rows does not block scrolling.
 */
export class RowPacer {
  /** Whether the operator is scrolling. If so, only `ROWS_PER_FRAME` new rows per frame show their text immediately. */
  isScrolling = false;
  readonly #ports: FramePorts;
  readonly #pending = new Map<PacedRow, PendingRow>();
  #lastAdmittedAt = Number.NEGATIVE_INFINITY;
  #admittedInFrame = 0;
  #isScheduled = false;

  constructor(ports: FramePorts) {
    this.#ports = ports;
  }

  /**
   * Returns the first stage of a new row: `key` if the operator is scrolling and the current frame already has
   * `ROWS_PER_FRAME` new rows, otherwise `text`.
   */
  admit(): RowStage {
    const now = this.#ports.now();
    if (now - this.#lastAdmittedAt > 8) this.#admittedInFrame = 0;
    this.#lastAdmittedAt = now;
    this.#admittedInFrame++;
    return this.isScrolling && this.#admittedInFrame > ROWS_PER_FRAME ? "key" : "text";
  }

  /**
   * Schedules the next stage of a row.
   *
   * @returns a function that cancels the scheduled stage
   */
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

  /**
   * Advances up to `ROWS_PER_FRAME` due rows to their next stage. If some due rows have no text yet, only those rows
   * advance.
   */
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
