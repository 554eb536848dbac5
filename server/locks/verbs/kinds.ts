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
