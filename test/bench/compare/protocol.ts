import type { Failure, Line } from "../figure.ts";

/** What one run of a checkout's benchmarks printed. */
export interface Output {
  readonly lines: readonly Line[];
  readonly failures: readonly Failure[];
}

/** Reads the JSON lines on standard output. Every version of the benchmarks prints them; the rest is skipped. */
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

/** Figures of a checkout from its `--list`. */
export function parseListedFigures(stdout: string): string[] {
  const figures = stdout.split("\n").map((text) => parseJsonLine(text).figure);
  return figures.filter((figure): figure is string => typeof figure === "string");
}

/** A name that is no figure: before `--list`, the usage error for it was the only list of figures. */
export const NO_FIGURE = "?";

/** Figures of a checkout from its usage error for `--only ?`; undefined if it printed something else. */
export function parseUsageErrorFigures(stderr: string): string[] | undefined {
  return /There is no figure "\?": (.+)\.$/m.exec(stderr)?.[1]?.split(", ");
}

/** Arguments after `node` of a script in package.json; undefined if it runs something else. */
export function parseNodeArguments(script: unknown): string[] | undefined {
  const [program, ...args] = String(script ?? "").split(" ");
  if (program !== "node") return undefined;
  // What goes to which stream is the concern of a shell.
  return args.filter((word) => !/^\d?>/.test(word));
}

/** The last line that says something, for a run that ended without a result. */
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
