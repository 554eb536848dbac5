import { expect, test } from "vitest";
import { FORMAT_NAMES } from "../contract/format.ts";
import { FORMAT_FACTS } from "./format-catalogue.ts";

test("every format describes what happens to waiters and to the old owner", () => {
  for (const name of FORMAT_NAMES) {
    const { waiters, oldOwner } = FORMAT_FACTS[name];
    for (const text of [waiters, oldOwner]) expect(text, name).toMatch(/^[A-Z][\s\S]{15,}\.$/);
  }
});
