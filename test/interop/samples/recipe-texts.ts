import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLES } from "../events/watch-runners.ts";

const PAGE = new URL("../../../docs/recipes.md", import.meta.url);
/** Ends the part of a `safe-lock` program that is kept; what follows is its example. */
const MARKER = /^.*Your work starts here\.\n/m;

/** The code block of docs/recipes.md whose info string is `info`, such as `ts title=leader.mts`. @throws if there is none */
export function readRecipe(info: string): string {
  const page = readFileSync(PAGE, "utf8");
  const [, ...after] = page.split(`\`\`\`${info}\n`);
  const text = after[0]?.split("\n```")[0];
  if (text === undefined || after.length !== 1)
    throw new Error(`docs/recipes.md has ${after.length} of ${info}`);
  return `${text}\n`;
}

/** The program that a reader gets: `safe-lock.mts` with the code block in place of its example. */
export function composeProgram(name: string): string {
  const text = readFileSync(join(SAMPLES, "safe-lock.mts"), "utf8");
  const marker = MARKER.exec(text);
  if (marker === null) throw new Error("safe-lock.mts has no marker line");
  return `${text.slice(0, marker.index + marker[0].length)}\n${readRecipe(`ts title=${name}`)}`;
}
