import { z } from "zod";
import { NOTE_CHARACTERS_MAX } from "../limits.ts";
import { asOfSchema, keyFields, Note, SeenVersion } from "../lock.ts";

/** So many are kept of a target; then the oldest goes. */
export const NOTES_MAX = 1000;
/** For so long a note is kept. */
export const NOTE_DAYS_MAX = 30;

const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}]*$/u;

export const NoteInput = z
  .strictObject({
    note: z
      .string()
      .max(NOTE_CHARACTERS_MAX)
      .refine((text) => PLAIN_TEXT.test(text.replace(/[\n\t]/g, " ")), "note is plain text")
      .meta({ description: "Plain text; empty: take the note away.", example: "mei is looking into it" }),
    expectedVersion: SeenVersion.optional().meta({
      description:
        "`version` of the hold that the note is about: it ends with it. Without it the note is about the key, whoever holds it.",
    }),
  })
  .meta({ id: "NoteInput" });
export type NoteInput = z.infer<typeof NoteInput>;

export const NoteResult = z
  .object({
    ...keyFields,
    note: Note.nullable().meta({ description: "As it stands from now on; null: there is none." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Noted" });
export type NoteResult = z.infer<typeof NoteResult>;
