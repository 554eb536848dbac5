import { TimestampUnit, WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import { SIGNALLED_LIBRARIES } from "../../formats/release-signals.ts";

/** The type of an option: a function that checks values, and the name of the type in error messages. */
interface OptionType {
  readonly is: (value: unknown) => boolean;
  readonly name: string;
}
type OptionTypes = Readonly<Record<string, OptionType>>;

const NUMBER: OptionType = { name: "a number", is: (value) => typeof value === "number" };
const STRING: OptionType = { name: "a string", is: (value) => typeof value === "string" };
const BOOLEAN: OptionType = { name: "true or false", is: (value) => typeof value === "boolean" };
const FUNCTION: OptionType = { name: "a function", is: (value) => typeof value === "function" };
const OBJECT: OptionType = { name: "an object", is: (value) => typeof value === "object" && value !== null };
const SIGNAL: OptionType = { name: "an AbortSignal", is: (value) => value instanceof AbortSignal };
const NAME: OptionType = {
  name: "a string that is not empty",
  is: (value) => STRING.is(value) && value !== "",
};
const PATTERNS: OptionType = {
  name: "a list of strings",
  is: (value) => Array.isArray(value) && value.every(STRING.is),
};
const FORMAT: OptionType = {
  name: WritableFormat.options.map((format) => `"${format}"`).join(", "),
  is: (value) => WritableFormat.safeParse(value).success,
};
const KIND: OptionType = {
  name: WritableKind.options.map((kind) => `"${kind}"`).join(", "),
  is: (value) => WritableKind.safeParse(value).success,
};
const isHold = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  STRING.is(Reflect.get(value, "key")) &&
  STRING.is(Reflect.get(value, "token"));
const HOLDS: OptionType = {
  name: "a list of holds",
  is: (value) => Array.isArray(value) && value.every(isHold),
};
const ON_DEADLOCK: OptionType = {
  name: '"report" or "refuse"',
  is: (value) => value === "report" || value === "refuse",
};
const LIBRARIES: OptionType = {
  name: `a list of ${SIGNALLED_LIBRARIES.map((library) => `"${library}"`).join(", ")}`,
  is: (value) =>
    Array.isArray(value) && value.every((each) => SIGNALLED_LIBRARIES.some((name) => name === each)),
};
const UNIT: OptionType = { name: '"s" or "ms"', is: (value) => TimestampUnit.safeParse(value).success };

const HOLD_OPTIONS: OptionTypes = {
  leaseMs: NUMBER,
  owner: STRING,
  format: FORMAT,
  unit: UNIT,
  graceMs: NUMBER,
  minHoldMs: NUMBER,
  record: OBJECT,
  renew: BOOLEAN,
  onJeopardy: FUNCTION,
  signal: SIGNAL,
};
const ACQUIRE_ALL_OPTIONS: OptionTypes = { ...HOLD_OPTIONS, waitMs: NUMBER, retry: OBJECT };
const ACQUIRE_OPTIONS: OptionTypes = {
  ...ACQUIRE_ALL_OPTIONS,
  kind: KIND,
  yieldsToWriters: BOOLEAN,
  permits: NUMBER,
  limit: NUMBER,
  holding: HOLDS,
  onDeadlock: ON_DEADLOCK,
};
const WITH_LOCK_OPTIONS: OptionTypes = { ...ACQUIRE_OPTIONS, reentrant: BOOLEAN };
const CAMPAIGN_OPTIONS: OptionTypes = { ...HOLD_OPTIONS, onElected: FUNCTION, onLost: FUNCTION };
const RETRY_OPTIONS: OptionTypes = { tries: NUMBER, pauseMs: NUMBER, jitter: NUMBER };
const RESERVE_OPTIONS: OptionTypes = {
  by: STRING,
  reservedMs: NUMBER,
  format: FORMAT,
  kind: KIND,
  unit: UNIT,
  reason: STRING,
};
const OPEN_OPTIONS: OptionTypes = {
  target: NAME,
  lockable: PATTERNS,
  signalledLibraries: LIBRARIES,
  fairWaitMs: NUMBER,
  log: OBJECT,
  replicas: NUMBER,
  replicaTimeoutMs: NUMBER,
  failoverHoldOffMs: NUMBER,
};

/**
 * Checks the options of `LockClient.open`. The functions below check the options of other calls in the same way.
 *
 * @throws InvalidError for the first option that is unknown or has the wrong type
 */
export const assertOpenOptions = (options: object) => assertOptions("open", OPEN_OPTIONS, options);
export const assertAcquireOptions = (options: object) => assertHold("acquire", ACQUIRE_OPTIONS, options);
export const assertAcquireAllOptions = (options: object) =>
  assertHold("acquireAll", ACQUIRE_ALL_OPTIONS, options);
export const assertWithLockOptions = (options: object) => assertHold("withLock", WITH_LOCK_OPTIONS, options);
export const assertReenterOptions = (options: object) =>
  assertOptions("reenter", { leaseMs: NUMBER }, options);
export const assertReleaseOptions = (options: object) =>
  assertOptions("release", { reservedMs: NUMBER }, options);
export const assertReserveOptions = (options: object) => assertOptions("reserve", RESERVE_OPTIONS, options);

export const assertLatchWaitOptions = (options: object) =>
  assertOptions("await", { waitMs: NUMBER, signal: SIGNAL }, options);

export const assertAwaitOptions = (options: object) =>
  assertOptions("await", { waitMs: NUMBER, reacquireMs: NUMBER, signal: SIGNAL }, options);

export function assertCampaignOptions(options: object): void {
  assertHold("campaign", CAMPAIGN_OPTIONS, options);
  for (const name of ["onElected", "signal"]) {
    if (!(name in options)) throw new InvalidError(`campaign needs the option ${name}.`, { field: name });
  }
}

/** @throws InvalidError if the listener is not a function */
export function assertListener(listener: unknown): void {
  if (typeof listener !== "function")
    throw new InvalidError("The listener must be a function.", { field: "listener" });
}

/** @throws InvalidError if the key is not a string */
export function assertKey(key: unknown): asserts key is string {
  if (typeof key !== "string")
    throw new InvalidError("The key of a lock must be a string.", { field: "key" });
}

/** @throws InvalidError if the keys are not an array of strings */
export function assertKeys(keys: unknown): asserts keys is readonly string[] {
  if (!Array.isArray(keys)) throw new InvalidError("The keys must be a list of strings.", { field: "keys" });
  for (const key of keys) assertKey(key);
}

/** @throws InvalidError if the work is not a function */
export function assertWork<Work>(work: Work | undefined): asserts work is Work {
  if (typeof work !== "function") throw new InvalidError("The work is a function.", { field: "work" });
}

function assertHold(
  method: string,
  types: OptionTypes,
  options: { retry?: object | undefined; unit?: string; format?: string },
): void {
  assertOptions(method, types, options);
  if (options.retry !== undefined) assertOptions("retry", RETRY_OPTIONS, options.retry);
  if (options.unit !== undefined && options.format !== "timestamp") {
    throw new InvalidError('unit is an option of the format "timestamp" only.', { field: "unit" });
  }
}

function assertOptions(method: string, types: OptionTypes, options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new InvalidError(`The options of ${method} must be an object.`, {});
  }
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw createUnknownOptionError(method, name, Object.keys(types));
    if (value === undefined || type.is(value)) continue;
    throw new InvalidError(`${name} must be ${type.name}.`, { field: name });
  }
}

function createUnknownOptionError(method: string, name: string, known: readonly string[]): InvalidError {
  const similar = known
    .map((option) => ({ option, length: countCommonLetters(option, name) }))
    .filter(({ length }) => length >= 3)
    .sort((a, b) => b.length - a.length)[0];
  const hint =
    similar === undefined ? `; its options are ${known.join(", ")}.` : `; did you mean ${similar.option}?`;
  return new InvalidError(`${name} is not an option of ${method}${hint}`, { field: name });
}

/** Returns the length of the common prefix, ignoring case. */
function countCommonLetters(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length]?.toLowerCase() === other[length]?.toLowerCase()) length++;
  return length;
}
