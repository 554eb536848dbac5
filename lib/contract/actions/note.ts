import { z } from "zod";
import { NOTE_CHARACTERS_MAX } from "../limits.ts";
import { asOfSchema, keyFields, Note, SeenVersion } from "../lock.ts";

/** Maximum number of notes per target. When this limit is exceeded, the oldest note is removed. */
export const NOTES_MAX = 1000;
/** Number of days after which a note is removed. */
export const NOTE_DAYS_MAX = 30;

const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}]*$/u;

export const NoteInput = z
  .strictObject({
    note: z
      .string()
      .max(NOTE_CHARACTERS_MAX)
      .refine((text) => PLAIN_TEXT.test(text.replace(/[\n\t]/g, " ")), "must be plain text")
      .meta({
        description: "Plain text. An empty string removes the note.",
        example: "mei is investigating",
      }),
    expectedVersion: SeenVersion.optional().meta({
      description:
        "`version` of the hold that the note is about; the note is removed when that hold ends. Without it, the note is about the key.",
    }),
  })
  .meta({ id: "NoteInput" });
export type NoteInput = z.infer<typeof NoteInput>;

export const NoteResult = z
  .object({
    ...keyFields,
    note: Note.nullable().meta({ description: "The current note. null if there is none." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Noted" });
export type NoteResult = z.infer<typeof NoteResult>;
