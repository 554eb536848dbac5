import { getReferenceName, type OpenApiDocument, resolveSchema, type SchemaObject } from "./document.ts";

/** Formats the type of a value, such as `integer`, `Holder[]` or `"s" | "ms"`. */
export function formatSchemaType(document: OpenApiDocument, schema: SchemaObject): string {
  const name = getReferenceName(schema);
  const whole = resolveSchema(document, schema);
  if (name !== undefined && whole.properties !== undefined) return name;
  const either = [...(whole.anyOf ?? []), ...(whole.oneOf ?? [])];
  if (either.length > 0) return either.map((one) => formatSchemaType(document, one)).join(" | ");
  if (whole.enum !== undefined) return whole.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (whole.const !== undefined) return JSON.stringify(whole.const);
  if (whole.items !== undefined) return `${formatSchemaType(document, whole.items)}[]`;
  return typeof whole.type === "string" ? whole.type : (whole.type ?? ["anything"]).join(" | ");
}

/** Formats the limits and the default of a value. */
export function formatSchemaLimits(document: OpenApiDocument, schema: SchemaObject): string {
  const whole = resolveSchema(document, schema);
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = whole;
  const parts = [
    formatRange(minimum ?? whole.exclusiveMinimum, maximum, ""),
    formatRange(minLength, maxLength, " characters"),
    formatRange(minItems, maxItems, " items"),
    pattern === undefined ? "" : `as ${pattern}`,
    whole.default === undefined ? "" : `default ${JSON.stringify(whole.default)}`,
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function formatRange(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? "" : `at least ${least}${unit}`;
}
