import type { WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import { LOCK_WRITERS, type LockWriter } from "../lock-writer.ts";
import { FairWriter } from "../redisson/fair-writer.ts";
import { ReadWriter, WRITE_WRITER } from "../redisson/read-write-writer.ts";
import { PLAIN_SEMAPHORE_WRITER, SEMAPHORE_WRITER } from "../redisson/semaphore-writer.ts";

/** The writers of the kinds that exist only in the format `redisson`. */
const KIND_WRITERS: Readonly<Record<Exclude<WritableKind, "lock">, LockWriter>> = {
  fair: new FairWriter(),
  read: new ReadWriter(),
  write: WRITE_WRITER,
  semaphore: SEMAPHORE_WRITER,
  plain_semaphore: PLAIN_SEMAPHORE_WRITER,
};

/**
 * Returns the lock writer for a format and kind. Formats other than `redisson` have a single writer, so `kind` is
 * ignored for these formats.
 */
export function getLockWriter({
  format,
  kind = "lock",
}: {
  readonly format: WritableFormat;
  readonly kind?: WritableKind | undefined;
}): LockWriter {
  return kind === "lock" || format !== "redisson" ? LOCK_WRITERS[format] : KIND_WRITERS[kind];
}
