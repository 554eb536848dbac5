import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "./entry.ts";

/** Reads the entries of all processes in chronological order. */
export function readHistory(folder: string): Entry[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const entries = files.flatMap((name) => parseEntries(readFileSync(join(folder, name), "utf8")));
  return entries.sort((one, other) => one.t - other.t);
}

export function parseEntries(text: string): Entry[] {
  // Text after the last line break is an incomplete entry of a process that was killed.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Entry);
}

export function writeHistory(path: string, history: readonly Entry[]): void {
  writeFileSync(path, history.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}
