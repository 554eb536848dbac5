import { expect, it } from "vitest";
import type { OpenApiDocument } from "./document.ts";
import { formatSchemaLimits, formatSchemaType } from "./schema-text.ts";

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
  expect(formatSchemaLimits(document, { type: "integer", minimum: 10, maximum: 99, default: 30 })).toBe(
    "10 to 99; default 30",
  );
  expect(formatSchemaLimits(document, { type: "string", maxLength: 300, pattern: "^a" })).toBe(
    "at most 300 characters; as ^a",
  );
  expect(formatSchemaLimits(document, { type: "boolean" })).toBe("");
});
