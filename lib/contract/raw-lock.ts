import { z } from "zod";
import { asOfSchema, keyFields } from "./lock.ts";

/** Maximum length in bytes of a returned string. Longer content is truncated. */
export const RAW_TEXT_BYTES_MAX = 256;
/** Maximum number of returned fields or members of a key. */
export const RAW_ENTRIES_MAX = 64;

export const RawText = z
  .object({
    text: z.string().meta({ description: "Content as UTF-8. Invalid bytes are replaced by U+FFFD." }),
    base64: z
      .string()
      .optional()
      .meta({ description: "Returned bytes in base64. Present only if the content is not valid UTF-8." }),
    bytes: z.int().meta({
      description: `Length of the content in bytes. Content above ${RAW_TEXT_BYTES_MAX} bytes is truncated.`,
    }),
  })
  .meta({
    id: "RawText",
    description: "Unmodified content from Redis. Treat it as untrusted input.",
  });
export type RawText = z.infer<typeof RawText>;

export const RawEntry = z
  .object({
    name: RawText.optional().meta({
      description:
        "Field of a hash, or member of a sorted set, whose `value` is then the score. Absent for other types.",
    }),
    value: RawText,
  })
  .meta({ id: "RawEntry" });
export type RawEntry = z.infer<typeof RawEntry>;

export const RawCopy = z
  .object({
    master: z.string().meta({ description: "`host:port` of the Redis server that was read." }),
    type: z
      .string()
      .max(100)
      .meta({ description: "Result of the Redis command `TYPE`. `none`: the key does not exist." }),
    remainingMs: z
      .int()
      .nullable()
      .meta({ description: "Time to live of the key at `asOf`, in milliseconds. null if it has none." }),
    size: z.int().nullable().meta({
      description:
        "Length in bytes of a string; number of elements of any other type. null if it was not read.",
    }),
    entries: z.array(RawEntry).meta({
      description: `Content of the key, at most ${RAW_ENTRIES_MAX} entries; \`size\` is the full number. Empty if the key is not a lock.`,
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "RawCopy" });
export type RawCopy = z.infer<typeof RawCopy>;

export const RawLock = z
  .object({
    target: z.string().meta({ description: "Name of the target." }),
    ...keyFields,
    copies: z.array(RawCopy).meta({
      description: "One entry. On a quorum target, one for each master that responded.",
    }),
    silent: z.array(z.string()).meta({ description: "Masters of a quorum target that did not respond." }),
  })
  .meta({ id: "RawLock" });
export type RawLock = z.infer<typeof RawLock>;
