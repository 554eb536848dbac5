import { expect, test } from "vitest";
import { lacksOnlyPlatformPackages } from "./lockfile.mjs";

const lockfile = JSON.stringify({
  packages: {
    "": { dependencies: { next: "^16" } },
    "node_modules/next": { optionalDependencies: { "@next/swc-darwin-arm64": "16.4.6", sharp: "^0.34" } },
  },
});
const refusal = (...lines: string[]) =>
  [
    "npm error code EUSAGE",
    "npm error `npm ci` can only install …",
    ...lines.map((line) => `npm error ${line}`),
  ].join("\n");

test.each([
  [
    "packages of other platforms alone are missing",
    ["Missing: @next/swc-darwin-arm64@ from lock file"],
    true,
  ],
  ["also when the registry has them", ["Missing: sharp@0.34.1 from lock file"], true],
  ["a real dependency is missing", ["Missing: left-pad@1.0.0 from lock file"], false],
  [
    "one of each is missing",
    ["Missing: sharp@ from lock file", "Missing: left-pad@1.0.0 from lock file"],
    false,
  ],
  ["a version does not fit", ["Invalid: lock file's sharp@0.33.0 does not satisfy sharp@0.34.1"], false],
  ["npm failed for another reason", [], false],
])("%s", (_name, lines, harmless) => {
  expect(lacksOnlyPlatformPackages(refusal(...lines), lockfile)).toBe(harmless);
});
