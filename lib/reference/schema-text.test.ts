import { expect, it } from "vitest";
import type { OpenApiDocument } from "./document.ts";
import { formatSchemaLimits, formatSchemaType, type LimitTexts } from "./schema-text.ts";

const TEXTS: LimitTexts = {
  units: { characters: " characters", items: " items" },
  range: (least, most, unit) => `${least} to ${most}${unit}`,
  atMost: (most, unit) => `at most ${most}${unit}`,
  atLeast: (least, unit) => `at least ${least}${unit}`,
  pattern: (pattern) => `matches ${pattern}`,
  byDefault: (value) => `default ${value}`,
  separator: "; ",
};

const document: OpenApiDocument = {
  info: { title: "Any", version: "1" },
  paths: {},
  components: {
    schemas: {
      Holder: { type: "object", properties: { owner: { type: "string" } } },
      Unit: { type: "string", enum: ["s", "ms"] },
    },
  },
};

it("a schema type is written in its shortest form", () => {
  expect(formatSchemaType(document, { $ref: "#/components/schemas/Holder" })).toBe("Holder");
  expect(formatSchemaType(document, { $ref: "#/components/schemas/Unit" })).toBe('"s" | "ms"');
  expect(formatSchemaType(document, { type: "array", items: { $ref: "#/components/schemas/Holder" } })).toBe(
    "Holder[]",
  );
  expect(formatSchemaType(document, { type: ["number", "null"] })).toBe("number | null");
  expect(formatSchemaType(document, { anyOf: [{ type: "integer" }, { type: "null" }] })).toBe(
    "integer | null",
  );
  expect(formatSchemaType(document, {})).toBe("anything");
});

it("the limits of a field are shown with its default", () => {
  expect(
    formatSchemaLimits(document, { type: "integer", minimum: 10, maximum: 99, default: 30 }, TEXTS),
  ).toBe("10 to 99; default 30");
  expect(formatSchemaLimits(document, { type: "string", maxLength: 300, pattern: "^a" }, TEXTS)).toBe(
    "at most 300 characters; matches ^a",
  );
  expect(formatSchemaLimits(document, { type: "boolean" }, TEXTS)).toBe("");
});
