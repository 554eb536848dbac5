import { getReferenceName, type OpenApiDocument, resolveSchema, type SchemaObject } from "./document.ts";

/** Returns the type of a value, such as `integer`, `Holder[]` or `"s" | "ms"`. */
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

/**
 * Phrases that describe limits, in the language of the page. The parameter `unit` is one of `units` or an empty string.
 */
export interface LimitTexts {
  readonly units: { readonly characters: string; readonly items: string };
  range(least: string, most: string, unit: string): string;
  atMost(most: string, unit: string): string;
  atLeast(least: string, unit: string): string;
  pattern(pattern: string): string;
  byDefault(value: string): string;
  readonly separator: string;
}

/** Returns a description of the limits and the default of a value, or an empty string if the schema has neither. */
export function formatSchemaLimits(
  document: OpenApiDocument,
  schema: SchemaObject,
  texts: LimitTexts,
): string {
  const whole = resolveSchema(document, schema);
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = whole;
  const parts = [
    formatRange(texts, minimum ?? whole.exclusiveMinimum, maximum, ""),
    formatRange(texts, minLength, maxLength, texts.units.characters),
    formatRange(texts, minItems, maxItems, texts.units.items),
    pattern === undefined ? "" : texts.pattern(pattern),
    whole.default === undefined ? "" : texts.byDefault(JSON.stringify(whole.default)),
  ];
  return parts.filter((part) => part !== "").join(texts.separator);
}

function formatRange(
  texts: LimitTexts,
  least: number | undefined,
  most: number | undefined,
  unit: string,
): string {
  if (least !== undefined && most !== undefined) return texts.range(String(least), String(most), unit);
  if (most !== undefined) return texts.atMost(String(most), unit);
  return least === undefined ? "" : texts.atLeast(String(least), unit);
}
