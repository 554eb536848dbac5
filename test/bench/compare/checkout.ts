import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Effort } from "../figure.ts";
import type { Finished, Processes } from "./processes.ts";
import {
  getLastLine,
  NO_FIGURE,
  type Output,
  parseListedFigures,
  parseNodeArguments,
  parseOutput,
  parseUsageErrorFigures,
} from "./protocol.ts";

/** A checkout of the repository whose benchmarks are run with the scripts in its package.json. */
export class Checkout {
  /**
   * Whether the benchmarks of the checkout support `--json`. Versions that do not support `--list` always print JSON.
   */
  #knowsJson = true;
  readonly #bench: readonly string[];
  readonly #prepare: readonly string[];

  constructor(
    private readonly processes: Processes,
    private readonly dir: string,
    private readonly env: Record<string, string> = {},
  ) {
    const { scripts } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
    const bench = parseNodeArguments(scripts?.bench);
    const prepare = parseNodeArguments(scripts?.prebench);
    if (bench === undefined || prepare === undefined) {
      throw new Error(`package.json in ${dir} has no scripts "bench" and "prebench" that start node`);
    }
    this.#bench = bench;
    this.#prepare = prepare;
  }

  /** Installs the dependencies, and builds the console if `build` is set. */
  async prepare({ build }: { readonly build: boolean }): Promise<void> {
    const args = this.#prepare.filter((word) => build || word !== "build");
    const { code, stdout, stderr } = await this.#runNode(args);
    if (code !== 0) throw new Error(`Preparing ${this.dir} failed: ${getLastLine(stdout + stderr)}`);
  }

  /** Lists the figures that the checkout can measure. `prepare()` must have been called. */
  async listFigures(): Promise<readonly string[]> {
    const listed = await this.#runNode([...this.#bench, "--list"]);
    if (listed.code === 0) return parseListedFigures(listed.stdout);
    this.#knowsJson = false;
    const refused = await this.#runNode([...this.#bench, "--only", NO_FIGURE]);
    const figures = parseUsageErrorFigures(refused.stderr);
    if (figures === undefined) {
      throw new Error(
        `The benchmarks in ${this.dir} do not list their figures: ${getLastLine(refused.stderr)}`,
      );
    }
    return figures;
  }

  /**
   * Measures figures once. Reports each figure without a value as a failure. Versions that do not support `--list`
   * print nothing about an experiment that failed, so each of its figures is then measured again in a separate run.
   */
  async measure(figures: readonly string[], effort: Effort): Promise<Output> {
    const together = await this.#measureTogether(figures, effort);
    if (this.#knowsJson || figures.length === 1 || together.failures.length === 0) return together;
    const apart: Output[] = [{ lines: together.lines, failures: [] }];
    for (const { figure } of together.failures) apart.push(await this.#measureTogether([figure], effort));
    return {
      lines: apart.flatMap(({ lines }) => lines),
      failures: apart.flatMap(({ failures }) => failures),
    };
  }

  async #measureTogether(figures: readonly string[], effort: Effort): Promise<Output> {
    const only = figures.flatMap((figure) => ["--only", figure]);
    const options = [...(effort === "quick" ? ["--quick"] : []), ...(this.#knowsJson ? ["--json"] : [])];
    const { stdout, stderr } = await this.#runNode([...this.#bench, ...only, ...options]);
    const { lines, failures } = parseOutput(stdout);
    const known = new Set([...lines, ...failures].map(({ figure }) => figure));
    const missing = figures.filter((figure) => !known.has(figure));
    const why = missing.length === 0 ? "" : getLastLine(stderr);
    return { lines, failures: [...failures, ...missing.map((figure) => ({ figure, failed: why }))] };
  }

  async #runNode(args: readonly string[]): Promise<Finished> {
    return await this.processes.run({ program: process.execPath, args, cwd: this.dir, env: this.env });
  }
}
