import { holderOf } from "./companion.ts";
import { type Recognised, strangerOf } from "./observation.ts";
import { ownerOf, type RawKey } from "./raw-key.ts";
import { endOf, unitMsOf } from "./timestamp/deadline.ts";

/** A string that our own verbs wrote: the companion tells of this very value. */
export function recogniseOurString(raw: RawKey): Recognised | undefined {
  const { told, content, remainingMs, asOf } = raw;
  const value = content[0]?.toString("utf8") ?? "";
  if (told === undefined || told.format === "redisson" || told.value !== value) return undefined;
  const holder = holderOf(told.owner, told.count, told);
  const known = { candidates: [], kind: "lock", confidence: "certain" } as const;
  if (told.format === "token") return { ...known, format: "token", holders: [holder], remainingMs };
  const marginMs = holder.marginMs + 2 * (unitMsOf(value) ?? 0);
  const leftMs = (endOf(value) ?? 0) - asOf;
  return { ...known, format: "timestamp", holders: [{ ...holder, marginMs }], remainingMs: leftMs };
}

/** Any short string, where a rule says that it is a lock. */
export function recogniseToken({ type, content, remainingMs }: RawKey): Recognised | undefined {
  const [value] = content;
  if (type !== "string" || value === undefined || value.length === 0) return undefined;
  const known = { format: "token", candidates: [], kind: "lock", confidence: "certain" } as const;
  return { ...known, holders: [strangerOf(ownerOf(value))], remainingMs };
}

/** A deadline in seconds or milliseconds, where a rule says that it is one. */
export function recogniseDeadline({ type, content, asOf }: RawKey): Recognised | undefined {
  const value = content[0]?.toString("utf8") ?? "";
  const end = endOf(value);
  if (type !== "string" || end === undefined) return undefined;
  const known = { format: "timestamp", candidates: [], kind: "lock", confidence: "certain" } as const;
  const holder = strangerOf(value, { marginMs: 2 * (unitMsOf(value) ?? 0) });
  return { ...known, holders: [holder], remainingMs: end - asOf };
}
