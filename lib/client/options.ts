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
} as const satisfies Record<keyof AcquireOptions, string>;

/** @throws InvalidError */
export function assertKeys(keys: readonly string[]): void {
  if (!Array.isArray(keys)) throw createOptionError("keys", "must be a list of strings");
  for (const key of keys) assertType(key, "string", "keys");
}

/** @throws InvalidError for an option that is unknown, because a misspelled one would be ignored, or of the wrong type */
export function assertAcquireOptions(method: string, options: AcquireOptions): void {
  assertOptions(method, ACQUIRE_OPTIONS, options);
  assertValues(options);
}

/** @throws InvalidError like `assertAcquireOptions` */
export function assertAcquireAllOptions(method: string, options: AcquireAllOptions): void {
  assertOptions(method, ACQUIRE_ALL_OPTIONS, options);
  assertValues(options);
}

function assertValues(options: AcquireAllOptions): void {
  const { waitMs = 0, renewal = "automatic" } = options;
  if (Number.isNaN(waitMs) || waitMs < 0) throw createOptionError("waitMs", "must be at least 0");
  if (renewal !== "automatic" && renewal !== "manual") {
    throw createOptionError("renewal", 'must be "automatic" or "manual"');
  }
}

/** @throws InvalidError */
export function assertRenewOptions(method: string, options: RenewOptions): void {
  assertOptions(method, { leaseMs: "number" }, options);
}

/** @throws InvalidError */
export function assertReleaseOptions(options: ReleaseOptions): void {
  assertOptions("release", { reservedMs: "number" }, options);
}

/** @throws InvalidError */
export function assertType(value: unknown, type: OptionTypes[string], name: string): void {
  if (typeof value !== type || value === null) throw createOptionError(name, `must be of type ${type}`);
}

/** @throws InvalidError */
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
