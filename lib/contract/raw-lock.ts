import { z } from "zod";
import { asOfSchema, keyFields } from "./lock.ts";

/** How much of one text is told, in bytes. */
export const RAW_TEXT_BYTES_MAX = 256;
/** How many fields or members are told. */
export const RAW_ENTRIES_MAX = 64;

export const RawText = z
  .object({
    text: z.string().meta({ description: "As UTF-8; bytes that are not appear as U+FFFD." }),
    base64: z
      .string()
      .optional()
      .meta({ description: "The bytes that are told, present only when the whole is not UTF-8." }),
    bytes: z.int().meta({
      description: `How long the whole is; of more than ${RAW_TEXT_BYTES_MAX} bytes only the beginning is told.`,
    }),
  })
  .meta({
    id: "RawText",
    description: "Bytes from Redis, as they stand there: anybody may have written them.",
  });
export type RawText = z.infer<typeof RawText>;

export const RawEntry = z
  .object({
    name: RawText.optional().meta({
      description: "The field of a hash, or the member of a sorted set, whose value is its score.",
    }),
    value: RawText,
  })
  .meta({ id: "RawEntry" });
export type RawEntry = z.infer<typeof RawEntry>;

export const RawCopy = z
  .object({
    master: z.string().meta({ description: "The Redis that was asked." }),
    type: z.string().max(100).meta({ description: "As Redis's TYPE says it; `none`: there is no such key." }),
    remainingMs: z.int().nullable().meta({ description: "Its time to live; null: none." }),
    size: z
      .int()
      .nullable()
      .meta({ description: "Bytes of a string, else fields or members; null where it was not read." }),
    entries: z.array(RawEntry).meta({
      description: `At most ${RAW_ENTRIES_MAX}; \`size\` says how many there are. None of a key that is no lock.`,
    }),
    asOf: asOfSchema,
  })
  .meta({ id: "RawCopy" });
export type RawCopy = z.infer<typeof RawCopy>;

export const RawLock = z
  .object({
    target: z.string(),
    ...keyFields,
    copies: z.array(RawCopy).meta({
      description: "One; of a quorum one for each master that answered.",
    }),
    silent: z.array(z.string()).meta({ description: "Masters of a quorum that did not answer." }),
  })
  .meta({ id: "RawLock" });
export type RawLock = z.infer<typeof RawLock>;
