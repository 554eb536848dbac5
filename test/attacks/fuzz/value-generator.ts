import fc from "fast-check";
import type { FuzzDocument, JsonSchema } from "./fuzz-document.ts";
import { HOSTILE_TEXTS, HOSTILE_VALUES } from "./hostile.ts";

/** A placeholder for a value from an earlier response. The value is chosen when the request is sent. */
export class PooledValue {
  constructor(
    readonly name: string,
    readonly pick: number,
    readonly otherwise: unknown,
  ) {}
}

/**
 * Maximum values of number parameters in milliseconds, by name. A longer wait for a lock would delay the other
 * requests.
 */
const MAXIMUM_BY_NAME: Readonly<Record<string, number>> = { waitMs: 15, reacquireMs: 15 };
/**
 * Relative weights of pooled values, by parameter name. Requests with an invalid target are rejected early, and most
 * routes need a known key.
 */
const POOL_WEIGHTS: Readonly<Record<string, number>> = { target: 60, key: 20, owner: 16 };
const ITEMS_MAX = 4;
const DEPTH_MAX = 5;

type ValueArbitrary = fc.Arbitrary<unknown>;

/** Generates values that match a schema of the OpenAPI document, and values that nearly match it. */
export class ValueGenerator {
  constructor(private readonly document: FuzzDocument) {}

  generateValid(given: JsonSchema, name = "", depth = 0): ValueArbitrary {
    const schema = this.document.resolve(given);
    const members = schema.anyOf ?? schema.oneOf;
    if (members !== undefined)
      return fc.oneof(...members.map((each) => this.generateValid(each, name, depth)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const [type] = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
    if (type === "string") return generateText(schema, name);
    if (type === "integer" || type === "number") return generateNumber(schema, name);
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    if (type === "array") return this.#generateList(schema, name, depth);
    if (type === "object") return this.#generateObject(schema, depth);
    return fc.jsonValue({ maxDepth: 2 });
  }

  #generateList(
    { items = {}, maxItems = ITEMS_MAX }: JsonSchema,
    name: string,
    depth: number,
  ): ValueArbitrary {
    return fc.array(this.generateValid(items, name, depth + 1), { maxLength: Math.min(maxItems, ITEMS_MAX) });
  }

  #generateObject(schema: JsonSchema, depth: number): ValueArbitrary {
    const { properties = {}, required = [], additionalProperties: rest } = schema;
    if (depth > DEPTH_MAX) return fc.constant({});
    const fields = Object.entries(properties).map(
      ([name, each]) => [name, this.generateValid(each, name, depth + 1)] as const,
    );
    const all = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
    const least = fc.record(Object.fromEntries(fields.filter(([name]) => required.includes(name))));
    // Some optional properties exclude each other, which the schemas do not express.
    const known = fc.oneof(all, least);
    if (typeof rest !== "object" || fields.length > 0) return known;
    const names = this.generateValid(schema.propertyNames ?? { type: "string" }, "target").map((each) =>
      each instanceof PooledValue ? String(each.otherwise) : String(each),
    );
    return fc.dictionary(names, this.generateValid(rest, "", depth + 1), { maxKeys: 3 });
  }

  /** Generates a value that is just outside the limits of the schema, or has the wrong type. */
  generateInvalid(given: JsonSchema, depth = 0): ValueArbitrary {
    const schema = this.document.resolve(given);
    const members = schema.anyOf ?? schema.oneOf;
    if (members?.[0] !== undefined)
      return fc.oneof(...members.map((each) => this.generateInvalid(each, depth)));
    const outside = [...listEdgeValues(schema), ...HOSTILE_VALUES, ...HOSTILE_TEXTS];
    const any = fc.constantFrom(...outside);
    if (schema.properties === undefined || depth > DEPTH_MAX) return any;
    return fc.oneof(
      { weight: 5, arbitrary: this.#generateMutated(schema, depth) },
      { weight: 1, arbitrary: any },
    );
  }

  /** Generates an object with one fault: an invalid, missing or unknown property. */
  #generateMutated(schema: JsonSchema, depth: number): ValueArbitrary {
    const { properties = {} } = schema;
    const whole = this.#generateObject(schema, depth);
    const wrong = Object.entries(properties).flatMap(([name, each]) => [
      fc
        .tuple(whole, this.generateInvalid(each, depth + 1))
        .map(([object, value]) => setField(object, name, value)),
      whole.map((object) => setField(object, name, undefined)),
    ]);
    const extra = fc
      .tuple(whole, fc.constantFrom(...HOSTILE_TEXTS), fc.constantFrom(...HOSTILE_VALUES))
      .map(([object, name, value]) => setField(object, name, value));
    return fc.oneof(...wrong, extra);
  }
}

function generateText(
  { minLength = 0, maxLength = 400, pattern, example }: JsonSchema,
  name: string,
): ValueArbitrary {
  const isShort = (each: string) => each.length >= minLength && each.length <= maxLength;
  const matches = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const hostile = HOSTILE_TEXTS.filter((each) => isShort(each) && (matches?.test(each) ?? true));
  const plain =
    matches === undefined
      ? fc.string({ minLength, maxLength: Math.min(maxLength, Math.max(minLength, 40)), unit: "grapheme" })
      : pattern?.includes("\\p{")
        ? fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
        : fc.stringMatching(matches).filter(isShort);
  const pooled = fc
    .tuple(fc.nat(1000), example === undefined ? plain : fc.constant(example))
    .map(([pick, otherwise]) => new PooledValue(name, pick, otherwise));
  const longest = matches === undefined ? [fc.constant("x".repeat(maxLength))] : [];
  const odd = hostile.length === 0 ? [] : [fc.constantFrom(...hostile)];
  return fc.oneof({ weight: POOL_WEIGHTS[name] ?? 8, arbitrary: pooled }, plain, ...odd, ...longest);
}

function generateNumber({ minimum = -1e6, maximum = 1e6, type }: JsonSchema, name: string): ValueArbitrary {
  const most = Math.min(maximum, MAXIMUM_BY_NAME[name] ?? maximum);
  const whole = fc.oneof(
    fc.constantFrom(minimum, Math.min(minimum + 1, most), most),
    fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(most, 2 ** 31) }),
  );
  return type === "integer" ? whole : fc.oneof(whole, fc.constant((minimum + most) / 2));
}

function listEdgeValues({
  minimum,
  maximum,
  maxLength,
  minLength,
  maxItems,
  items,
  enum: choices,
}: JsonSchema) {
  const edges: unknown[] = [];
  if (minimum !== undefined) edges.push(minimum - 1, minimum + 0.5, String(minimum));
  if (maximum !== undefined) edges.push(maximum + 1, -maximum, String(maximum));
  if (maxLength !== undefined) edges.push("x".repeat(maxLength + 1), "é".repeat(maxLength + 1));
  if (minLength !== undefined && minLength > 0) edges.push("x".repeat(minLength - 1));
  if (maxItems !== undefined) edges.push(Array.from({ length: maxItems + 1 }, () => items?.example ?? {}));
  for (const choice of choices?.slice(0, 2) ?? []) edges.push(String(choice).toUpperCase(), `${choice} `);
  return edges;
}

/**
 * Sets a property as JSON.parse does, even if its name is `__proto__`. If the value is undefined, deletes the property.
 */
function setField(object: unknown, name: string, value: unknown): unknown {
  const changed = { ...(typeof object === "object" ? object : {}) };
  if (value === undefined) Reflect.deleteProperty(changed, name);
  else Object.defineProperty(changed, name, { value, enumerable: true, configurable: true, writable: true });
  return changed;
}
