import type { How } from "../known-format.ts";
import type { Recognised } from "../observation.ts";
import type { RawKey } from "../raw.ts";
import { holdersOf } from "./holders.ts";

/** The objects of Redisson by which something is held. */
export function recogniseRedisson(raw: RawKey, _how: How): Recognised | undefined {
  const { type, told, remainingMs } = raw;
  if (type !== "hash") return undefined;
  const fields = raw.content.map((bytes) => bytes.toString("utf8"));
  const [first, ...rest] = holdersOf(fields, told?.format === "redisson" ? told : undefined);
  if (first === undefined) return undefined;
  const known = { format: "redisson", candidates: [], kind: "lock", confidence: "certain" } as const;
  return { ...known, holders: [first, ...rest], remainingMs };
}
