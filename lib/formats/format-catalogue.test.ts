import { expect, test } from "vitest";
import { FORMAT_NAMES } from "../contract/format.ts";
import { FORMAT_FACTS } from "./format-catalogue.ts";

test("of every format it is told what becomes of who waits, and what the old owner does", () => {
  for (const name of FORMAT_NAMES) {
    const { waiters, oldOwner } = FORMAT_FACTS[name];
    for (const text of [waiters, oldOwner]) expect(text, name).toMatch(/^[A-Z][\s\S]{15,}\.$/);
  }
});
