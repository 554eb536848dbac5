import { readFileSync } from "node:fs";

const PAGE = new URL("../../../docs/recipes.md", import.meta.url);

/**
 * Reads the code block in docs/recipes.md with an info string such as `ts title=leader.mts`.
 *
 * @throws if there is no such code block
 */
export function readRecipe(info: string): string {
  const page = readFileSync(PAGE, "utf8");
  const [, ...after] = page.split(`\`\`\`${info}\n`);
  const text = after[0]?.split("\n```")[0];
  if (text === undefined || after.length !== 1)
    throw new Error(`docs/recipes.md has ${after.length} of ${info}`);
  return `${text}\n`;
}
