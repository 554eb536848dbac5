// The types of lib/contract that the package exports, without the dependency on zod. wire-types.test.ts compares them.

/** Formats that locks can be acquired in. */
export type WritableFormat = "redisson" | "token" | "timestamp";

/** Kinds of lock that can be acquired. Only the format `redisson` has kinds other than `lock`. */
export type WritableKind = "lock" | "fair" | "read" | "write" | "semaphore" | "plain_semaphore";

/** Unit of the deadline that the format `timestamp` stores. */
export type TimestampUnit = "s" | "ms";

/** Information about the holder, shown in the console. */
export interface OwnerRecord {
  service?: string | undefined;
  host?: string | undefined;
  pid?: number | undefined;
  purpose?: string | undefined;
  /** Trace id or request id of the application. */
  trace?: string | undefined;
  /** Label that several holds have in common, up to 64 characters. */
  session?: string | undefined;
}
