import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportProgress } from "./progress.ts";
import { ROOT } from "./root.ts";

interface Results {
  /** The results as a Markdown table. */
  readonly table: string;
  readonly lines: readonly object[];
  /** Prefix of the file names, such as `compare-`. */
  readonly prefix?: string;
}

/** Writes the table and the JSON lines of a run to files in `bench-results/`. */
export function keepResults({ table, lines, prefix = "" }: Results): void {
  const name = join("bench-results", prefix + new Date().toISOString().slice(0, 19).replaceAll(":", "-"));
  mkdirSync(join(ROOT, "bench-results"), { recursive: true });
  writeFileSync(join(ROOT, `${name}.md`), `${table}\n`);
  writeFileSync(join(ROOT, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  reportProgress(`Results kept in ${name}.md`);
}
