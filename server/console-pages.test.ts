import { expect, test } from "vitest";
import { explainBasePath } from "./console-pages.ts";

test.each([
  ["/locks", "", "checkout", "Run `npm start` to rebuild it."],
  ["/locks", "", "package", "Unset the variable, or build a package"],
  ["/locks", "/other", "package", "Set it to /other, or build a package"],
  ["", "/other", "package", "Set LOCKKEEPER_BASE_PATH=/other."],
] as const)("a base path of %j, a console for %j, in a %s: %s", (basePath, builtFor, origin, remedy) => {
  expect(explainBasePath(basePath, builtFor, origin)).toContain(remedy);
});

test("the error names both paths", () => {
  expect(explainBasePath("/locks", "", "package")).toMatch(
    /^The console is built for the root of a host, but LOCKKEEPER_BASE_PATH is \/locks\. .* `LOCKKEEPER_BASE_PATH=\/locks npm run pack`\.$/,
  );
});
