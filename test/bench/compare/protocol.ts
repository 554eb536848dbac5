import type { Failure, Line } from "../figure.ts";

/** The output of one run of a checkout's benchmarks. */
export interface Output {
  readonly lines: readonly Line[];
  readonly failures: readonly Failure[];
}

/** Parses the JSON lines on standard output, which every version of the benchmarks prints. Skips other lines. */
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

/** Parses the names of the figures from the output of `--list`. */
export function parseListedFigures(stdout: string): string[] {
  const figures = stdout.split("\n").map((text) => parseJsonLine(text).figure);
  return figures.filter((figure): figure is string => typeof figure === "string");
}

/**
 * A figure name that never exists. Versions that do not support `--list` list their figures only in the usage error for
 * an unknown name.
 */
export const NO_FIGURE = "?";

/** Parses the names of the figures from the usage error for `--only ?`. Undefined if the output is not that error. */
export function parseUsageErrorFigures(stderr: string): string[] | undefined {
  return /There is no figure "\?": (.+)\.$/m.exec(stderr)?.[1]?.split(", ");
}

/** Parses the arguments of a script in package.json that starts with `node`. Undefined for other scripts. */
export function parseNodeArguments(script: unknown): string[] | undefined {
  const [program, ...args] = String(script ?? "").split(" ");
  if (program !== "node") return undefined;
  // Redirections such as `>/dev/null` are handled by the shell and are not arguments.
  return args.filter((word) => !/^\d?>/.test(word));
}

/**
 * Returns the first line that names an error, otherwise the last line that is not empty. Explains why a run has no
 * result.
 */
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
