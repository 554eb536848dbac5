import { hasValidKind } from "../../../lib/contract/format.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { AcquireOptions } from "./verbs.ts";

/** Checks that the format has locks of this kind. @throws InvalidError */
export function assertKind(options: Pick<AcquireOptions, "format" | "kind">): void {
  if (hasValidKind(options)) return;
  throw new InvalidError(
    `The format ${options.format} has no locks of the kind ${options.kind}. Use the format redisson.`,
    { field: "kind" },
  );
}

/** Checks that a plain lock is requested. @param why begins the message @throws InvalidError */
export function assertPlainKind({ kind = "lock" }: Pick<AcquireOptions, "kind">, why: string): void {
  if (kind === "lock") return;
  throw new InvalidError(`${why}; a lock of the kind ${kind} is not supported. Nothing was done.`, {
    field: "kind",
  });
}

/**
 * Checks the options that not every kind has: holds that share a lock have neither a grace period nor a minimum hold time,
 * and only readers give way to writers.
 *
 * @throws InvalidError
 */
export function assertKindOptions({
  kind,
  graceMs,
  minHoldMs,
  yieldsToWriters,
}: Pick<AcquireOptions, "kind" | "graceMs" | "minHoldMs" | "yieldsToWriters">): void {
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

/** Checks that the hold can reserve the lock when it is released: readers share it. @throws InvalidError */
export function assertReservable({ kind }: Pick<AcquireOptions, "kind">): void {
  if (kind !== "read") return;
  throw new InvalidError(
    "A read hold cannot reserve the lock, because other readers may share it. Reserve it with the kind write. Nothing was done.",
    { field: "reservedMs" },
  );
}
