import type { ApiError, ProblemDocument } from "./api-error.ts";
import {
  AbortedError,
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
import { readAmount, readObject, readText } from "./untrusted.ts";
import type { OwnerRecord } from "./wire-types.ts";

/** Members of every problem document, which are not facts. */
const COMMON_MEMBERS = new Set(["type", "title", "status", "code", "detail", "requestId", "instance"]);

/** Converts a failed request to the error class of its code. The cause is the `ApiError`. */
export function toLockkeeperError(error: ApiError): LockkeeperError {
  const { code, detail, problem = {} } = error;
  const options = { cause: error };
  switch (code) {
    case "held":
      return new HeldError(detail, readHeldFacts(problem), options);
    case "timeout":
      return new WaitTimeoutError(detail, readHeldFacts(problem), options);
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
  return typeof available === "number" ? { available, total: readAmount(total) ?? null } : undefined;
}

function readKey(problem: ProblemDocument): KeyFacts {
  return { key: readText(problem.key) ?? "", ...optional("keyBase64", readText(problem.keyBase64)) };
}

function readHolders({ holders }: ProblemDocument): HolderFacts[] {
  return (Array.isArray(holders) ? holders : []).map((each: unknown) => {
    const holder = readObject(each) ?? {};
    return {
      owner: readText(holder.owner) ?? "",
      count: readNumber(holder.count),
      fence: readText(holder.fence) ?? null,
      ...optional("record", readRecord(holder.record)),
    };
  });
}

function readRecord(value: unknown): OwnerRecord | undefined {
  const record = readObject(value);
  if (record === undefined) return undefined;
  const fields = Object.entries(record).filter(
    ([name, field]) => typeof field === (name === "pid" ? "number" : "string"),
  );
  return Object.fromEntries(fields);
}

function readInvalidFacts(problem: ProblemDocument): InvalidFacts {
  const errors = Array.isArray(problem.errors)
    ? problem.errors.map((each: unknown) => {
        const { field, message } = readObject(each) ?? {};
        return { field: readText(field) ?? "", message: readText(message) ?? "" };
      })
    : undefined;
  return { ...optional("field", readText(problem.field)), ...optional("errors", errors) };
}

function readOtherFacts(problem: ProblemDocument): ProblemDocument {
  return Object.fromEntries(Object.entries(problem).filter(([name]) => !COMMON_MEMBERS.has(name)));
}

function readTexts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}

function readNumber(value: unknown): number {
  return readAmount(value) ?? 0;
}

/** Returns an object with the member, or an empty object if the value is undefined. */
function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Member in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Member in Name]: Value });
}
