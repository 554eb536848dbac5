import { expect, it } from "vitest";
import { checkDocument, collectAnchors, collectVariables } from "./lint/document-checks.mjs";

const PAGES = {
  "docs/a.md": "# Title\n\n## What it does, and why\n\n## Twice\n\n## Twice\n",
  "README.md": "",
};
const PATHS = new Set([...Object.keys(PAGES), "docs", "server", "server/main.ts", "docs/picture.png"]);
const known = {
  exists: (path: string) => PATHS.has(path),
  anchors: new Map(Object.entries(PAGES).map(([file, text]) => [file, collectAnchors(text)])),
  scripts: new Set(["build"]),
  variables: collectVariables(["process.env.LOCKKEEPER_URL"]),
};
const check = (text: string, isHistorical = false) =>
  checkDocument("README.md", text, known, { isHistorical });

it.each([
  ["a link to a missing file", "[a](docs/b.md)", "link to docs/b.md, but docs/b.md does not exist"],
  ["a missing picture", "![a](docs/b.png)", "link to docs/b.png, but docs/b.png does not exist"],
  ["a missing anchor", "[a](docs/a.md#none)", "link to docs/a.md#none, but docs/a.md has no heading #none"],
  ["a missing anchor of the page", "[a](#none)", "link to #none, but README.md has no heading #none"],
  ["a missing path", "`server/gone.ts`", "`server/gone.ts` does not exist"],
  ["an unknown script", "`npm run biuld`", 'package.json has no script "biuld"'],
  ["a script in a code block", "```sh\nnpm run -s none\n```", 'package.json has no script "none"'],
  ["an unknown variable", "`LOCKKEEPER_URLS`", "no source reads LOCKKEEPER_URLS"],
])("%s is reported", (_, text, message) => {
  expect(check(text).map((finding) => finding.message)).toEqual([message]);
});

it("the line is reported", () => {
  expect(check("one\n\n[a](b.md)")[0]?.line).toBe(3);
});

it.each([
  "[a](docs/a.md) [b](docs/a.md#what-it-does-and-why) [c](docs/a.md#twice-1) ![d](docs/picture.png) [e](docs/)",
  "[a](https://example.com/none.md) [b](/problems/held)",
  "`[a](none.md)`",
  "```md\n[a](none.md)\n```",
  "`server/main.ts` `server/` `npm run build` `LOCKKEEPER_URL` `LOCKKEEPER_BENCH_*` `LOCKKEEPER_SERVICE_HOST`",
])("%s has no broken reference", (text) => {
  expect(check(text)).toEqual([]);
});

it("a historical document may name what is gone, but its links are checked", () => {
  expect(check("`server/gone.ts`, `npm run none`, `LOCKKEEPER_GONE`", true)).toEqual([]);
  expect(check("[a](none.md)", true)).toHaveLength(1);
});
