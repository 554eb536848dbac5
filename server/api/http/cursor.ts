import { z } from "zod";
import { InvalidError } from "../../errors/request-errors.ts";
import type { SortDirection, SortPosition } from "../../watch/index/sorted-keys.ts";

/** The sort order of a list. A cursor is valid only for the order in which it was created. */
interface CursorOrder {
  readonly field: string;
  readonly direction: SortDirection;
}

const Cursor = z.tuple([z.string(), z.literal([1, -1]), z.union([z.string(), z.number()]), z.string()]);

/** Encodes the position of the last item on a page as a cursor for the next page. */
export function encodeCursor([value, key]: SortPosition, { field, direction }: CursorOrder): string {
  return Buffer.from(JSON.stringify([field, direction, value, key])).toString("base64url");
}

/** Decodes a cursor. @throws InvalidError if the cursor is malformed or belongs to a different sort order */
export function decodeCursor(cursor: string, { field, direction }: CursorOrder): SortPosition {
  try {
    const [cursorField, cursorDirection, value, key] = Cursor.parse(
      JSON.parse(Buffer.from(cursor, "base64url").toString()),
    );
    if (cursorField === field && cursorDirection === direction) return [value, key];
  } catch {
    // Falls through to the same error as a cursor for a different order.
  }
  throw new InvalidError("Query, cursor: must be the `next` value of a page with the same sort.", {
    field: "cursor",
  });
}
