import { InvalidError } from "./errors.ts";
import type { AcquireAllOptions, AcquireOptions, ReleaseOptions, RenewOptions } from "./hold-options.ts";

type OptionTypes = Readonly<Record<string, "number" | "string" | "boolean" | "object" | "function">>;

const ACQUIRE_ALL_OPTIONS = {
  leaseMs: "number",
  waitMs: "number",
  owner: "string",
  record: "object",
  format: "string",
  unit: "string",
  graceMs: "number",
  minHoldMs: "number",
  renewal: "string",
  signal: "object",
} as const satisfies Record<keyof AcquireAllOptions, string>;
const ACQUIRE_OPTIONS = {
  ...ACQUIRE_ALL_OPTIONS,
  kind: "string",
  permits: "number",
  limit: "number",
  yieldsToWriters: "boolean",
  holding: "object",
  onDeadlock: "string",
} as const satisfies Record<keyof AcquireOptions, string>;

/** @throws InvalidError if `keys` is not a list of strings */
export function assertKeys(keys: readonly string[]): void {
  assertList(keys, "keys");
  for (const key of keys) assertType(key, "string", "keys");
}

/**
 * Checks the names and types of the options, and the values of `waitMs`, `renewal` and `holding`. Unknown options are
 * rejected because they may be misspelled.
 *
 * @throws InvalidError
 */
export function assertAcquireOptions(method: "acquire" | "acquireAll", options: AcquireOptions): void {
  assertOptions(method, method === "acquire" ? ACQUIRE_OPTIONS : ACQUIRE_ALL_OPTIONS, options);
  const { renewal = "automatic", holding = [] } = options;
  assertWaitMs(options);
  if (renewal !== "automatic" && renewal !== "manual") {
    throw createOptionError("renewal", 'must be "automatic" or "manual"');
  }
  assertList(holding, "holding");
}

function assertList(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw createOptionError(name, "must be a list");
}

/** @throws InvalidError if `waitMs` is negative or NaN */
export function assertWaitMs({ waitMs = 0 }: Pick<AcquireOptions, "waitMs">): void {
  if (!(waitMs >= 0)) throw createOptionError("waitMs", "must be at least 0");
}

/** @throws InvalidError if an option is unknown or has the wrong type */
export function assertRenewOptions(method: string, options: RenewOptions): void {
  assertOptions(method, { leaseMs: "number" }, options);
}

/** @throws InvalidError if an option is unknown or has the wrong type */
export function assertReleaseOptions(options: ReleaseOptions): void {
  assertOptions("release", { reservedMs: "number" }, options);
}

/** @throws InvalidError if the value is `null` or has another type */
export function assertType(value: unknown, type: OptionTypes[string], name: string): void {
  if (typeof value !== type || value === null) throw createOptionError(name, `must be of type ${type}`);
}

/** Asserts that each option is known and is either `undefined` or of the expected type. @throws InvalidError */
export function assertOptions(method: string, types: OptionTypes, options: object): void {
  assertType(options, "object", "options");
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) {
      throw createOptionError(
        name,
        `is not an option of ${method}; its options are ${Object.keys(types).join(", ")}`,
      );
    }
    if (value !== undefined) assertType(value, type, name);
  }
}

export function createOptionError(field: string, rule: string): InvalidError {
  return new InvalidError(`${field} ${rule}.`, { field });
}
