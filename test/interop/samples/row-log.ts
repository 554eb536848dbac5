import { readFile } from "node:fs/promises";

/** A line of the shared log. */
export interface LogLine {
  readonly copy: number;
  /** Time at which the line was written, in Unix milliseconds. */
  readonly at: number;
  readonly fence: string;
}

/** Reads the lines of the log in order. Returns an empty list if the file does not exist yet. */
export async function readLog(path: string): Promise<LogLine[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [copy = "", at = "", fence = ""] = line.split(" ");
      return { copy: Number(copy), at: Number(at), fence };
    });
}

/** Lists violations of mutual exclusion that the log proves. */
export function findLogFaults(lines: readonly LogLine[]): string[] {
  const faults: string[] = [];
  const second = lines.findIndex(({ copy }) => copy === 2);
  if (second >= 0 && lines.slice(second).some(({ copy }) => copy === 1)) {
    faults.push("the lines interleave");
  }
  if (lines.some(({ fence }, index) => BigInt(fence) < BigInt(lines[index - 1]?.fence ?? 0))) {
    faults.push("a lower fence follows a higher one");
  }
  for (const copy of [1, 2]) {
    const fences = new Set(lines.filter((line) => line.copy === copy).map(({ fence }) => fence));
    if (fences.size > 1) faults.push(`copy ${copy} wrote with ${fences.size} fences`);
  }
  return faults;
}
