import { expect, test } from "vitest";
import { FORMAT_FACTS } from "@/lib/formats/format-catalogue.ts";
import { FORMAT_LABELS } from "./format-labels.ts";

test("the table uses the same format labels as the rest of the console", () => {
  const labels = Object.entries(FORMAT_FACTS).map(([name, { label }]) => [name, label]);
  expect(FORMAT_LABELS).toEqual(Object.fromEntries(labels));
});
