import { RawContent } from "./request-plans.ts";
import { PooledValue } from "./value-generator.ts";

/** Maximum number of values from responses that are kept for each name, in addition to the fixed values. */
const LEARNED_MAX = 8;

/** Names of the response properties that contain values for a parameter, by parameter name. */
const RESPONSE_NAMES: Readonly<Record<string, readonly string[]>> = {
  expectedVersion: ["version"],
  cursor: ["next"],
  reenter: ["holdId"],
  "live.id": ["stream"],
  "operators.id": ["operators.name"],
};

/** Values from the server's responses, by name, for use in later requests. */
export class ValuePools {
  readonly #byName = new Map<string, string[]>();
  readonly #fixed = new Map<string, readonly string[]>();
  /** Values from the latest response about each lock key, so that the values of one request fit together. */
  readonly #byKey = new Map<string, ReadonlyMap<string, string>>();

  /** Sets the values that are always available for a name. A value that is listed twice is chosen twice as often. */
  setFixed(name: string, values: readonly string[]): void {
    this.#fixed.set(name, values);
  }

  #add(name: string, value: string): void {
    const known = this.#byName.get(name) ?? [];
    if (known.includes(value)) return;
    known.push(value);
    if (known.length > LEARNED_MAX) known.shift();
    this.#byName.set(name, known);
  }

  /**
   * Collects all strings in a response.
   *
   * @param of the area of the API that the response is from, such as `keys`
   */
  learn(value: unknown, of: string): void {
    if (typeof value !== "object" || value === null) return;
    if ("key" in value && typeof value.key === "string") this.#byKey.set(value.key, collectTexts(value));
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== "string") this.learn(each, of);
      else for (const full of [name, `${of}.${name}`]) this.#add(full, each);
    }
  }

  /**
   * Replaces all placeholders in a value by known values.
   *
   * @param key the lock key in the request, whose values are preferred
   */
  fill(value: unknown, key?: unknown): unknown {
    if (value instanceof PooledValue) return this.#pick(value, this.#byKey.get(String(key)));
    if (Array.isArray(value)) return value.map((each) => this.fill(each, key));
    if (
      typeof value !== "object" ||
      value === null ||
      value instanceof RawContent ||
      ArrayBuffer.isView(value)
    )
      return value;
    const filled = {};
    for (const [name, each] of Object.entries(value)) {
      const property = { value: this.fill(each, key), enumerable: true, configurable: true, writable: true };
      Object.defineProperty(filled, name, property);
    }
    return filled;
  }

  #pick({ name, pick, otherwise }: PooledValue, ofKey: ReadonlyMap<string, string> | undefined): unknown {
    const names = [...(RESPONSE_NAMES[name] ?? []), name, name.slice(name.indexOf(".") + 1)];
    const fits = names.map((each) => ofKey?.get(each)).find((each) => each !== undefined);
    if (fits !== undefined && pick % 3 !== 0) return fits;
    const known = names.map((each) => this.#getKnown(each)).find(({ length }) => length > 0) ?? [];
    // Occasionally a generated value is used, which no response contained.
    return pick % 11 === 0 || known.length === 0 ? otherwise : known[pick % known.length];
  }

  #getKnown(name: string): readonly string[] {
    return [...(this.#fixed.get(name) ?? []), ...(this.#byName.get(name) ?? [])];
  }
}

function collectTexts(value: object, into = new Map<string, string>()): ReadonlyMap<string, string> {
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "string" && !into.has(name)) into.set(name, each);
    else if (typeof each === "object" && each !== null) collectTexts(each, into);
  }
  return into;
}
