// Rejects retired words in console text, documents, messages and comments. Path prefixes as arguments limit the check
// to matching files.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { EXEMPT, PENDING, RULES } from "./vocabulary-rules.mjs";

const TEXT = /\.(ts|tsx|mjs|lua|md)$/;
// Tests quote client requests and the output of other programs.
const TESTS = /^(test|e2e)\/|\.test\.tsx?$|^lib\/i18n\/zh\//;

const paths = process.argv.slice(2);
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => TEXT.test(file) && !TESTS.test(file) && !EXEMPT.includes(file) && existsSync(file))
  .filter((file) =>
    paths.length > 0
      ? paths.some((path) => file.startsWith(path))
      : !PENDING.some((folder) => file.startsWith(folder)),
  );

let found = 0;
for (const file of files) {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    for (const { pattern, use } of RULES) {
      const match = pattern.exec(line);
      if (match === null) continue;
      found++;
      console.error(`${file}:${index + 1}: “${match[0]}”: write ${use}.`);
    }
  }
}
if (found > 0) {
  console.error(`\n${found} retired words. docs/glossary.md has the terms.`);
  process.exitCode = 1;
} else {
  console.log(`✔ no retired words (${files.length} files)`);
}
