import type { Effort, Experiment, Failure, Line } from "./figure.ts";
import { formatReason } from "./figure.ts";
import { Resources } from "./resources.ts";

interface Output {
  onLine(line: Line): void;
  onFailure(failure: Failure, error?: unknown): void;
}

/**
 * Measures experiments one after the other and collects their lines and failures. A failure does not end the session.
 */
export class Session {
  readonly lines: Line[] = [];
  readonly failures: Failure[] = [];
  #resources = new Resources();
  #isEnded = false;
  #abort: (error: unknown) => void = () => undefined;

  constructor(
    private readonly effort: Effort,
    private readonly output: Output,
  ) {}

  /**
   * Measures an experiment and closes its resources.
   *
   * @param wanted names of the requested figures of the experiment
   */
  async measure(experiment: Experiment, wanted: readonly string[]): Promise<void> {
    if (this.#isEnded) return;
    const resources = new Resources();
    this.#resources = resources;
    const book = new OpenFigures(wanted, this.#createAbortion());
    const part = async (figures: readonly string[], measure: () => Promise<readonly Line[]>) => {
      const due = book.open(figures);
      if (due.length > 0) await this.#attempt(book, due, measure);
    };
    const run = { effort: this.effort, wanted, defer: (end: () => unknown) => resources.defer(end), part };
    try {
      await this.#attempt(book, wanted, () => experiment.measure(run));
    } finally {
      await resources.end();
    }
    this.#failFigures(book, wanted, new Error("The experiment ended without a value for it"));
  }

  /**
   * Ends the running experiment after an uncaught error and reports a failure for each figure that has no value yet.
   */
  abort(error: unknown): void {
    this.#abort(error);
  }

  /**
   * Ends the session after an interruption and closes the resources of the running experiment. Failures are no longer
   * reported, because the interruption causes them.
   */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#resources.end();
  }

  async #attempt(book: OpenFigures, figures: readonly string[], measure: () => Promise<readonly Line[]>) {
    try {
      const lines = await Promise.race([measure(), book.aborted]);
      for (const line of lines) if (book.close(line.figure)) this.#add(line);
    } catch (error) {
      this.#failFigures(book, figures, error);
    }
  }

  #createAbortion(): Promise<never> {
    const aborted = new Promise<never>((_, reject) => {
      this.#abort = reject;
    });
    aborted.catch(() => undefined);
    return aborted;
  }

  #add(line: Line): void {
    this.lines.push(line);
    this.output.onLine(line);
    for (const [name, why] of Object.entries(Object(line.conditions.failed))) {
      this.#report({ figure: line.figure, contender: name, failed: String(why) });
    }
  }

  #failFigures(book: OpenFigures, figures: readonly string[], error: unknown): void {
    for (const figure of book.open(figures)) {
      book.close(figure);
      this.#report({ figure, failed: formatReason(error) }, error);
    }
  }

  #report(failure: Failure, error?: unknown): void {
    if (this.#isEnded) return;
    this.failures.push(failure);
    this.output.onFailure(failure, error);
  }
}

/** The requested figures that have neither a value nor a failure yet, and the promise that is rejected on an abort. */
class OpenFigures {
  readonly #open: Set<string>;

  constructor(
    wanted: readonly string[],
    readonly aborted: Promise<never>,
  ) {
    this.#open = new Set(wanted);
  }

  open(figures: readonly string[]): string[] {
    return figures.filter((figure) => this.#open.has(figure));
  }

  /** Marks a figure as completed. Returns false if the figure was not requested or is already completed. */
  close(figure: string): boolean {
    return this.#open.delete(figure);
  }
}
