import type { Recognised } from "../observation.ts";
import type { RawKey } from "../raw.ts";

/** A string of a library that keeps its lock in one; the table of flavours says which it may be. */
export function recogniseString(_raw: RawKey): Recognised | undefined {
  return undefined;
}
