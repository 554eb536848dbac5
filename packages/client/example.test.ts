import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README shows the example that prove:package runs", () => {
  const [, program] = /^```m?js\n(import .*?)^```$/ms.exec(read("README.md")) ?? [];
  expect(program).toBe(read("example.mjs"));
});
