import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it.each(["README.md", "../../docs/library.md"])("%s shows the example that prove:package runs", (page) => {
  const [, program] = /^```m?js\n(import .*?)^```$/ms.exec(read(page)) ?? [];
  expect(program).toBe(read("example.mjs"));
});
