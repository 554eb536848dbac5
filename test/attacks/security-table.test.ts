import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const readText = (path: string) => readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");

/** The last cell of a row: a file, and the sentence of a test in it. */
const TEST_CELL = /\| `([^`|]+\.(?:test|spec)\.ts)` "([^|]+)" \|$/;

it("every attack in SECURITY.md names an existing test", () => {
  const [, table = ""] = readText("SECURITY.md").split("## Attacks that were tried");
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !/^\| (\*\*|attack )/.test(line));
  const named = rows.map((row) => TEST_CELL.exec(row) ?? [row]);
  expect(named.filter(([, file]) => file === undefined)).toEqual([]);
  const missing = named.filter(([, file = "", sentence = ""]) => !readText(file).includes(sentence));
  expect(missing.map(([row]) => row)).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});
