import type { ApiError, ProblemDocument } from "./api-error.ts";
import {
  AbortedError,
  DeadlockError,
  type DeadlockFacts,
  ForbiddenError,
  HeldError,
  type HeldFacts,
  type HolderFacts,
  InvalidError,
  type InvalidFacts,
  type KeyFacts,
  KeyNotAllowedError,
  type LockkeeperError,
  LostError,
  NotALockError,
  NotReplicatedError,
  QueueFullError,
  RefusedError,
  UnauthenticatedError,
  UnavailableError,
  UnitConflictError,
  UnknownOutcomeError,
  WaitTimeoutError,
} from "./errors.ts";
import { readAmount, readInteger, readList, readObject, readText } from "./untrusted.ts";
import type { OwnerRecord } from "./wire-types.ts";

/** Members that every problem document can have. All other members are facts of the error. */
const COMMON_MEMBERS = new Set(["type", "title", "status", "code", "detail", "requestId", "instance"]);

const RECORD_FIELDS: Readonly<Record<keyof OwnerRecord, "string" | "number">> = {
  service: "string",
  host: "string",
  pid: "number",
  purpose: "string",
  trace: "string",
  session: "string",
};

/** Converts an error from a request to the error class for its code, with the `ApiError` as the `cause`. */
export function toLockkeeperError(error: ApiError): LockkeeperError {
  const { code, detail, problem = {} } = error;
  const options = { cause: error };
  switch (code) {
    case "held":
      return new HeldError(detail, readHeldFacts(problem), options);
    case "timeout":
      return new WaitTimeoutError(detail, readHeldFacts(problem), options);
    case "deadlock":
      return new DeadlockError(detail, { ...readKey(problem), cycle: readCycle(problem) }, options);
    case "aborted":
      return new AbortedError(detail, {}, options);
    case "lost":
      return new LostError(detail, { ...readKey(problem), holders: readHolders(problem) }, options);
    case "queue_full":
      return new QueueFullError(
        detail,
        { ...readKey(problem), waiting: readNumber(problem.waiting) },
        options,
      );
    case "not_a_lock":
      return new NotALockError(
        detail,
        { ...readKey(problem), redisType: readText(problem.redisType) ?? "unknown" },
        options,
      );
    case "unit_conflict":
      return new UnitConflictError(
        detail,
        { ...readKey(problem), unit: problem.unit === "s" ? "s" : "ms" },
        options,
      );
    case "key_not_allowed":
      return new KeyNotAllowedError(detail, optional("lockable", readTexts(problem.lockable)), options);
    case "invalid":
      return new InvalidError(detail, readInvalidFacts(problem), options);
    case "unauthenticated":
      return new UnauthenticatedError(detail, readOtherFacts(problem), options);
    case "forbidden":
      return new ForbiddenError(detail, readOtherFacts(problem), options);
    case "unavailable":
      return new UnavailableError(
        detail,
        {
          ...optional("reason", readText(problem.reason)),
          ...optional("remainingMs", readAmount(problem.remainingMs)),
        },
        options,
      );
    case "not_replicated":
      return new NotReplicatedError(
        detail,
        { replicas: readNumber(problem.replicas), ...optional("confirmed", readAmount(problem.confirmed)) },
        options,
      );
    case "unknown_outcome":
    case "internal":
      return new UnknownOutcomeError(detail, readOtherFacts(problem), options);
    default:
      return new RefusedError(code, detail, readOtherFacts(problem), options);
  }
}

function readHeldFacts(problem: ProblemDocument): HeldFacts {
  return {
    ...readKey(problem),
    holders: readHolders(problem),
    ...optional("permits", readPermits(problem)),
    remainingMs: readAmount(problem.remainingMs) ?? null,
    asOf: readNumber(problem.asOf),
  };
}

function readPermits({ permits }: ProblemDocument): HeldFacts["permits"] {
  const { available, total } = readObject(permits) ?? {};
  const count = readInteger(available);
  return count === undefined ? count : { available: count, total: readAmount(total) ?? null };
}

function readKey(problem: ProblemDocument): KeyFacts {
  return { key: readString(problem.key), ...optional("keyBase64", readText(problem.keyBase64)) };
}

function readHolders({ holders }: ProblemDocument): HolderFacts[] {
  const read = (holder: ProblemDocument) => ({
    owner: readString(holder.owner),
    count: readNumber(holder.count),
    fence: readText(holder.fence) ?? null,
    ...optional("record", readRecord(holder.record)),
  });
  return readItems(holders)?.map(read) ?? [];
}

function readCycle({ cycle }: ProblemDocument): DeadlockFacts["cycle"] {
  return readItems(cycle)?.map((step) => ({ owner: readString(step.owner), ...readKey(step) })) ?? [];
}

function readRecord(value: unknown): OwnerRecord | undefined {
  const record = readObject(value);
  if (record === undefined) return undefined;
  const fields = Object.entries(RECORD_FIELDS).filter(([name, type]) => typeof record[name] === type);
  return Object.fromEntries(fields.map(([name]) => [name, record[name]]));
}

function readInvalidFacts(problem: ProblemDocument): InvalidFacts {
  const errors = readItems(problem.errors)?.map(({ field, message }) => ({
    field: readString(field),
    message: readString(message),
  }));
  return { ...optional("field", readText(problem.field)), ...optional("errors", errors) };
}

function readOtherFacts(problem: ProblemDocument): ProblemDocument {
  return Object.fromEntries(Object.entries(problem).filter(([name]) => !COMMON_MEMBERS.has(name)));
}

function readItems(value: unknown): ProblemDocument[] | undefined {
  return readList(value)?.map((each) => readObject(each) ?? {});
}

function readString(value: unknown): string {
  return readText(value) ?? "";
}

function readTexts(value: unknown): string[] | undefined {
  return readList(value)?.filter((each) => typeof each === "string");
}

function readNumber(value: unknown): number {
  return readAmount(value) ?? 0;
}

/** Returns an object with the given member, or an empty object if the value is `undefined`. */
function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Member in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Member in Name]: Value });
}
