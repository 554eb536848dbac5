// Checks that docs/configuration.md is up to date with server/config. With --write (npm run docs), updates the file.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatVariableDocs } from "../../server/config/format-variable-docs.ts";

const FILE = fileURLToPath(new URL("../../docs/configuration.md", import.meta.url));
const generated = formatVariableDocs();

if (process.argv.includes("--write")) {
  writeFileSync(FILE, generated);
  console.log("Wrote docs/configuration.md");
} else if (readFileSync(FILE, "utf8") === generated) {
  console.log("✔ docs/configuration.md is up to date");
} else {
  console.error("docs/configuration.md is out of date: run `npm run docs`.");
  process.exitCode = 1;
}
