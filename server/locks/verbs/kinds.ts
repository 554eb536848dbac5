import { PERMIT_LIMIT_MAX, PERMITS_MAX } from "../../../lib/contract/actions/verb.ts";
import { hasValidKind, isSemaphoreKind } from "../../../lib/contract/format.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { HoldRef } from "../../formats/hold-id.ts";
import { DECLARED_HOLDS_MAX } from "../../formats/wait-declaration.ts";
import type { AcquireOptions } from "./contract/verbs.ts";

/**
 * Checks that the format supports this kind of lock.
 * @throws InvalidError
 */
export function assertKind(options: Pick<AcquireOptions, "format" | "kind">): void {
  if (hasValidKind(options)) return;
  throw new InvalidError(
    `The format ${options.format} has no locks of the kind ${options.kind}. Use the format redisson.`,
    { field: "kind" },
  );
}

/**
 * Checks that the format supports the requested kind of lock, and that the other options are valid for this kind.
 *
 * @throws InvalidError
 */
export function assertKindOptions(options: AcquireOptions): void {
  assertKind(options);
  assertPermits(options);
  assertReaderOptions(options);
}

/**
 * Checks the options of a semaphore. For any other kind, checks that `permits` and `limit` are not set.
 * @throws InvalidError
 */
export function assertPermits(options: AcquireOptions): void {
  const { kind, permits, limit, graceMs = 0, minHoldMs = 0 } = options;
  if (!isSemaphoreKind(kind)) {
    if (permits === undefined && limit === undefined) return;
    const field = permits === undefined ? "limit" : "permits";
    throw new InvalidError(`${field} is an option of the kinds semaphore and plain_semaphore only.`, {
      field,
    });
  }
  assertCount("permits", permits, PERMITS_MAX);
  assertCount("limit", limit, PERMIT_LIMIT_MAX);
  if (graceMs === 0 && minHoldMs === 0) return;
  const field = graceMs > 0 ? "graceMs" : "minHoldMs";
  throw new InvalidError(`A semaphore has no ${field}: its permits are available when they are released.`, {
    field,
  });
}

/** Checks the deadlock options of a waiter. @throws InvalidError */
export function assertDeadlockOptions({ holding = [], onDeadlock = "report" }: AcquireOptions): void {
  if (!Array.isArray(holding) || holding.length > DECLARED_HOLDS_MAX)
    throw new InvalidError(`holding must be a list of at most ${DECLARED_HOLDS_MAX} holds.`, {
      field: "holding",
    });
  if (onDeadlock !== "report" && onDeadlock !== "refuse")
    throw new InvalidError("onDeadlock must be report or refuse.", { field: "onDeadlock" });
}

/** @throws InvalidError unless the value is `undefined` or a whole number from 1 to `most` */
export function assertCount(field: string, value: number | undefined, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)) return;
  throw new InvalidError(`${field} must be a whole number from 1 to ${most}.`, { field });
}

/**
 * Checks that the hold does not belong to a semaphore.
 * @param what the end of the error message "A hold of a semaphore cannot be …"
 * @throws InvalidError
 */
export function assertExclusive({ kind }: Pick<HoldRef, "kind">, what: string): void {
  if (!isSemaphoreKind(kind)) return;
  throw new InvalidError(`A hold of a semaphore cannot be ${what}. Nothing was done.`, {});
}

/**
 * Checks that a plain lock is requested.
 * @param why the beginning of the error message
 * @throws InvalidError
 */
export function assertPlainKind({ kind = "lock" }: Pick<AcquireOptions, "kind">, why: string): void {
  if (kind === "lock") return;
  throw new InvalidError(`${why}; a lock of the kind ${kind} is not supported. Nothing was done.`, {
    field: "kind",
  });
}

/**
 * Checks that `graceMs` and `minHoldMs` are not set for a reader, and that `yieldsToWriters` is set only for a reader.
 * @throws InvalidError
 */
function assertReaderOptions({ kind, graceMs, minHoldMs, yieldsToWriters }: AcquireOptions): void {
  const excess = kind !== "read" ? undefined : graceMs ? "graceMs" : minHoldMs ? "minHoldMs" : undefined;
  if (excess !== undefined) {
    throw new InvalidError(
      `A read hold cannot have ${excess}, because other readers share the lock. Leave it out. Nothing was done.`,
      { field: excess },
    );
  }
  if (yieldsToWriters !== undefined && kind !== "read") {
    throw new InvalidError("yieldsToWriters is an option of the kind read only. Nothing was done.", {
      field: "yieldsToWriters",
    });
  }
}

/**
 * Checks that a lock of this kind can be reserved. The kind `read` is rejected, because other readers can hold the lock
 * at the same time.
 *
 * @throws InvalidError
 */
export function assertReservable({ kind }: Pick<AcquireOptions, "kind">): void {
  if (kind !== "read") return;
  throw new InvalidError(
    "A read hold cannot reserve the lock, because other readers may share it. Reserve it with the kind write. Nothing was done.",
    { field: "reservedMs" },
  );
}
