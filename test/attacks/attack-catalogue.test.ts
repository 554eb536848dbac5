import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { replaceAttackTable } from "./attack-table.ts";
import { ATTACKS } from "./catalogue/index.mjs";

const ROOT = new URL("../../", import.meta.url);
const readText = (path: string) => readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");

it("the table of attacks in SECURITY.md is up to date; update it with `npm run attacks`", async () => {
  await expect(replaceAttackTable(readText("SECURITY.md"))).toMatchFileSnapshot("../../SECURITY.md");
});

it("every attack has an id of its own and names a test that its file has", () => {
  const ids = ATTACKS.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id))).toEqual([]);
  const missing = ATTACKS.filter(({ file, test }) => {
    const text = readText(file);
    return !test.split("%s").every((part) => text.includes(part));
  });
  expect(missing.map(({ id }) => id)).toEqual([]);
  expect(ATTACKS.length).toBeGreaterThan(55);
});
