// Checks that the relative links and anchors, repository paths, npm scripts and LOCKKEEPER_ variables in documents
// exist.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { checkDocument, collectAnchors, collectVariables } from "./document-checks.mjs";

/** Documents that may refer to files, scripts and variables that no longer exist. */
const HISTORICAL = /^(?:CHANGELOG\.md|docs\/decisions\/.*)$/;
/** Source files that read environment variables. Tests are excluded because they also use misspelled variables. */
const READS_VARIABLES =
  /^(server|cli|scripts|packages|demo|e2e|public|lib|test)\/.*\.(ts|mts|mjs|py|go|java|sh)$/;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));
const folders = new Set(files.flatMap((file) => listParents(file)));
const exists = (/** @type {string} */ path) => folders.has(path) || files.includes(path);

/** @param {string} file */
function listParents(file) {
  const segments = file.split("/").slice(0, -1);
  return segments.map((_, depth) => segments.slice(0, depth + 1).join("/"));
}

const documents = new Map(
  files.filter((file) => file.endsWith(".md")).map((file) => [file, readFileSync(file, "utf8")]),
);
const known = {
  exists,
  anchors: new Map([...documents].map(([file, text]) => [file, collectAnchors(text)])),
  scripts: new Set(Object.keys(JSON.parse(readFileSync("package.json", "utf8")).scripts)),
  variables: collectVariables(
    files
      .filter((file) => READS_VARIABLES.test(file) && !file.includes(".test."))
      .map((file) => readFileSync(file, "utf8")),
  ),
};

let found = 0;
for (const [file, text] of documents) {
  for (const { line, message } of checkDocument(file, text, known, {
    isHistorical: HISTORICAL.test(file),
  })) {
    found++;
    console.error(`${file}:${line}: ${message}`);
  }
}
if (found > 0) {
  console.error(`\n${found} broken references in documents.`);
  process.exitCode = 1;
} else {
  console.log(`✔ references in documents exist (${documents.size} files)`);
}
