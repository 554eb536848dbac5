import { formatFailure } from "../figure.ts";
import { formatEmptyRow, formatHeader, formatLegend, formatRows } from "./rows.ts";
import type { Comparison, Metric, Samples } from "./samples.ts";

/** Prints each figure once it has been compared, as rows of a Markdown table or as a line of JSON. */
export class Report {
  readonly #rows: string[] = [];
  readonly #objects: object[] = [];
  readonly #metrics: Metric[] = [];

  constructor(
    private readonly label: string,
    private readonly json: boolean,
    private readonly print: (text: string) => void = (text) => console.log(text),
  ) {}

  /** Lists the figures that only one checkout has, and prints the table header. */
  addMissing({ here, there }: { readonly here: readonly string[]; readonly there: readonly string[] }): void {
    for (const figure of here) this.#addObject({ figure, onlyIn: "this" });
    for (const figure of there) this.#addObject({ figure, onlyIn: this.label });
    if (here.length > 0) this.#addRow(`Only in this checkout: ${here.join(", ")}.\n`);
    if (there.length > 0) this.#addRow(`Only in ${this.label}: ${there.join(", ")}.\n`);
    this.#addRow(formatHeader(this.label));
  }

  add(figure: string, samples: Samples): void {
    const failures = samples.failures.filter((failure) => failure.figure === figure);
    const comparison = samples.compareFigure(figure);
    this.#addObject({ reference: this.label, ...(comparison ?? { figure }), failures });
    if (comparison !== undefined) this.#add(comparison);
    else this.#addRow(formatEmptyRow(figure, "no value on both sides"));
  }

  /**
   * Prints the legend and the failures.
   *
   * @returns the whole report, to be stored in files
   */
  end({ failures }: Samples): { readonly table: string; readonly lines: readonly object[] } {
    const failed = failures.map((failure) => {
      const where = failure.side === "this" ? "this checkout" : this.label;
      return `${formatFailure(failure)} (${where}, round ${failure.round})`;
    });
    this.#addRow(["", formatLegend(this.#metrics), ...failed].join("\n"));
    return { table: this.#rows.join("\n"), lines: this.#objects };
  }

  #add(comparison: Comparison): void {
    this.#metrics.push(...comparison.metrics);
    this.#addRow(formatRows(comparison));
  }

  #addRow(text: string): void {
    this.#rows.push(text);
    if (!this.json) this.print(text);
  }

  #addObject(object: object): void {
    this.#objects.push(object);
    if (this.json) this.print(JSON.stringify(object));
  }
}
