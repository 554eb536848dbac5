import { z } from "zod";
import { KEY_BYTES_MAX } from "../../keys/key.ts";
import { asOfSchema } from "../lock.ts";
import { acquireFields, assertLockOptions, Hold, NewLeaseMs } from "./verb.ts";

/** Maximum number of locks that one request can acquire. */
export const LOCKS_MAX = 32;

const encoder = new TextEncoder();

const LockKeyText = z
  .string()
  .max(KEY_BYTES_MAX)
  .refine(isValidKey, `must be a key of 1 to ${KEY_BYTES_MAX} bytes`)
  .meta({ description: "Key of a lock.", example: "lock:orders:42" });

export const AcquireAllInput = z
  .strictObject({
    keys: z
      .array(LockKeyText)
      .min(1)
      .max(LOCKS_MAX, `must contain at most ${LOCKS_MAX} keys`)
      .refine((keys) => new Set(keys).size === keys.length, "must not contain the same key twice")
      .meta({
        description: `Keys of the locks, 1 to ${LOCKS_MAX}, each once. Their order does not matter.`,
        uniqueItems: true,
        example: ["lock:orders:42", "lock:customers:7"],
      }),
    ...acquireFields,
    leaseMs: NewLeaseMs,
  })
  .superRefine(assertLockOptions)
  .meta({ id: "AcquireAllInput" });
export type AcquireAllInput = z.infer<typeof AcquireAllInput>;

/** The holds of several locks that were acquired together. */
export const AcquiredHolds = z
  .object({
    holds: z.array(Hold).meta({
      description: "The holds, in the order of `keys`. Each is renewed and released by its own `holdId`.",
    }),
    remainingMs: z.int().meta({
      description:
        "Shortest time left of all holds, in milliseconds. Count it from the moment before you sent the request.",
    }),
    waitedMs: z.int().optional().meta({
      description:
        "How long the request waited before the attempt that succeeded, in milliseconds. Present only with `waitMs`. The holds last until `waitedMs` + `remainingMs` after you sent the request.",
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "AcquiredHolds" });
export type AcquiredHolds = z.infer<typeof AcquiredHolds>;

function isValidKey(key: string): boolean {
  const { length } = encoder.encode(key);
  return key.isWellFormed() && length > 0 && length <= KEY_BYTES_MAX;
}
