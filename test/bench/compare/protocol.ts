import type { Failure, Line } from "../figure.ts";

/** The output of one run of a checkout's benchmarks. */
export interface Output {
  readonly lines: readonly Line[];
  readonly failures: readonly Failure[];
}

/** Parses the JSON lines on standard output, which every version of the benchmarks prints. Other lines are skipped. */
export function parseOutput(stdout: string): Output {
  const lines: Line[] = [];
  const failures: Failure[] = [];
  for (const text of stdout.split("\n")) {
    const value = parseJsonLine(text);
    if (typeof value.figure !== "string") continue;
    if (typeof value.failed === "string") failures.push(value as unknown as Failure);
    else if (typeof value.ours === "number") lines.push(value as unknown as Line);
  }
  return { lines, failures };
}

/** Parses the figures of a checkout from its `--list`. */
export function parseListedFigures(stdout: string): string[] {
  const figures = stdout.split("\n").map((text) => parseJsonLine(text).figure);
  return figures.filter((figure): figure is string => typeof figure === "string");
}

/** A name of no figure. Before `--list`, figures were listed only in the usage error for an unknown name. */
export const NO_FIGURE = "?";

/** Parses the figures of a checkout from its usage error for `--only ?`; undefined if it printed something else. */
export function parseUsageErrorFigures(stderr: string): string[] | undefined {
  return /There is no figure "\?": (.+)\.$/m.exec(stderr)?.[1]?.split(", ");
}

/** Parses the arguments after `node` of a script in package.json; undefined if it runs something else. */
export function parseNodeArguments(script: unknown): string[] | undefined {
  const [program, ...args] = String(script ?? "").split(" ");
  if (program !== "node") return undefined;
  // Redirections are for the shell.
  return args.filter((word) => !/^\d?>/.test(word));
}

/** Returns the last line that is not empty, for a run that ended without a result. */
export function getLastLine(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const error = lines.find((line) => /^(Uncaught )?\w*Error: /.test(line));
  return error ?? lines.filter((line) => line !== "").at(-1) ?? "no output";
}

function parseJsonLine(text: string): Record<string, unknown> {
  if (!text.startsWith("{")) return {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
