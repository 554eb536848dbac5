/** `key`: for a row that is scrolled past. `text`: without the actions that are not visible yet. */
export type RowStage = "key" | "text" | "complete";

export interface PacedRow {
  readonly stage: RowStage;
  setStage(stage: RowStage): void;
}

/** Rows completed per frame. A screen of rows in one task takes longer than a frame. */
export const ROWS_PER_FRAME = 6;
/** Delay between the last new row and the first one that gets its actions. */
const SETTLE_MS = 150;
/** The same for the text of rows that were scrolled past. It is shorter because the operator waits for it. */
const TEXT_SETTLE_MS = 40;
/** Upper bound of the delay, so that continuously arriving rows do not starve others. */
const WAIT_MAX_MS = 400;

export interface FramePorts {
  now(): number;
  runInFrame(run: () => void, afterMs: number): void;
}

interface PendingRow {
  readonly row: PacedRow;
  readonly since: number;
}

/** Distributes the work of rendering rows over frames, so that scrolling never waits for a screen of them at once. */
export class RowPacer {
  /** Whether the rows are scrolling. Otherwise new rows have their text at once. */
  isScrolling = false;
  readonly #ports: FramePorts;
  readonly #pending = new Map<PacedRow, PendingRow>();
  #lastAdmittedAt = Number.NEGATIVE_INFINITY;
  #admittedInFrame = 0;
  #isScheduled = false;

  constructor(ports: FramePorts) {
    this.#ports = ports;
  }

  /** Returns what a row that is rendered for the first time shows. */
  admit(): RowStage {
    const now = this.#ports.now();
    if (now - this.#lastAdmittedAt > 8) this.#admittedInFrame = 0;
    this.#lastAdmittedAt = now;
    this.#admittedInFrame++;
    return this.isScrolling && this.#admittedInFrame > ROWS_PER_FRAME ? "key" : "text";
  }

  /** Completes a row later. @returns cancels it */
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

  /** Text comes before actions. */
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
