// The types that the package exports, without a dependency on zod. wire-types.test.ts checks that they match the types
// in lib/contract.

/** Formats in which locks can be acquired. */
export type WritableFormat = "redisson" | "token" | "timestamp";

/** Kinds of lock that can be acquired. Only the `redisson` format has kinds other than `lock`. */
export type WritableKind = "lock" | "fair" | "read" | "write" | "semaphore" | "plain_semaphore";

/** Unit of the deadline that the `timestamp` format stores. */
export type TimestampUnit = "s" | "ms";

/** Information about the holder of a lock, shown in the console. */
export interface OwnerRecord {
  service?: string | undefined;
  host?: string | undefined;
  pid?: number | undefined;
  purpose?: string | undefined;
  /** Trace ID or request ID of the application. */
  trace?: string | undefined;
  /** Label that identifies a group of related holds, up to 64 characters. */
  session?: string | undefined;
}
