import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import { type OwnerRecord, RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { textOfKey } from "../../../lib/keys/key.ts";
import { type Recognised, type SeenHolder, strangerOf } from "../observation.ts";
import { ownerOf, type RawKey } from "../raw-key.ts";
import { endOf } from "../timestamp/deadline.ts";
import { recogniseDeadline } from "../writable-strings.ts";
import { isLockLike } from "./lock-name.ts";
import { FLAVOURS, type Flavour } from "./string-variants.ts";
import { type Carried, isNearby, type Shaped, shapesOf, timeOfUuid1 } from "./value-syntax.ts";

/** php-lock writes a thousand years for "never". */
const NEVER_MS = 10 * 365 * 24 * 3_600_000;

/** How far the clocks of a client and of Redis may be apart. */
const CLOCKS_APART_MS = 60_000;

/** Libraries whose apps may choose the value themselves, by the names that they give to their keys. */
const CHOSEN: readonly (readonly [RegExp, FormatName])[] = [
  [/(?:^|:)lock:/, "python-redis-lock"],
  [/(?:^|:)mutex:/, "redis-semaphore"],
];

/** A string of a library that keeps its lock in one; the table of flavours says which it may be. */
export function recogniseString(raw: RawKey): Recognised | undefined {
  const [value] = raw.content;
  if (value === undefined || value.length === 0) return undefined;
  const shapes = shapesOf(value, raw.asOf);
  const isNamed = isLockLike(raw.key);
  const name = textOfKey(raw.key);
  for (const shaped of shapes) {
    const found = flavouredOf(raw, name, isNamed, shaped);
    if (found !== undefined) return found;
  }
  return isNamed ? (deadlineOf(raw) ?? someTokenOf(raw, name, shapes)) : undefined;
}

/** What a rule says it is: the shape only tells what else the value carries. */
export function recogniseAs(format: FormatName, raw: RawKey): Recognised | undefined {
  const [value] = raw.content;
  if (value === undefined || value.length === 0) return undefined;
  const name = textOfKey(raw.key);
  const shapes = shapesOf(value, raw.asOf);
  const mayBe = FLAVOURS.filter(
    (each) => each.format === format && shapes.some(({ shape }) => shape === each.shape),
  );
  const flavour =
    mayBe.find(({ own }) => own?.test(name) !== false) ?? mayBe.find(({ kind }) => kind === undefined);
  const carried = shapes.find(({ shape }) => shape === flavour?.shape)?.carried ?? {};
  const known = { format, candidates: [], confidence: "certain", kind: flavour?.kind ?? "lock" } as const;
  const chosen = flavour === undefined || flavour.shape === "text" ? ({ isChosen: true } as const) : {};
  return { ...known, ...chosen, ...heldBy(raw, carried, flavour) };
}

function flavouredOf(
  raw: RawKey,
  name: string,
  isNamed: boolean,
  { shape, carried, isCommon }: Shaped,
): Recognised | undefined {
  const mayBe = FLAVOURS.filter((each) => each.shape === shape && endsAs(each, raw, carried));
  const own = mayBe.filter((each) => each.own?.test(name));
  const likely = own.length > 0 ? own : mayBe.filter(({ names }) => names === "any");
  const [flavour] = likely;
  if (flavour === undefined) return undefined;
  const isOwn = own.length > 0;
  const confidence = confidenceOf(flavour, { isOwn, isNamed, isCommon, ends: raw.remainingMs !== null });
  if (confidence === undefined) return undefined;
  const formats = [...new Set(likely.map(({ format }) => format))];
  const beside = likely.flatMap((each) => each.beside ?? []);
  // Of several that shape does not tell apart none is chosen: what is true of all is said.
  const [format, candidates] =
    formats.length > 1 ? (["token", [...formats, ...beside]] as const) : ([flavour.format, beside] as const);
  const known = { format, candidates, confidence, kind: flavour.kind ?? "lock" } as const;
  return { ...known, ...heldBy(raw, carried, flavour) };
}

function endsAs({ ends }: Flavour, { remainingMs, asOf }: RawKey, { epochMs }: Carried): boolean {
  if (remainingMs === null) return ends === "maybe";
  return ends !== "as_told" || Math.abs(asOf + remainingMs - Number(epochMs)) < CLOCKS_APART_MS;
}

function confidenceOf(
  { isUnmistakable, isGuess }: Flavour,
  { isOwn, isNamed, isCommon, ends }: { isOwn: boolean; isNamed: boolean; isCommon: boolean; ends: boolean },
): Confidence | undefined {
  if (isUnmistakable) return "certain";
  if (isGuess) return "possible";
  if (isOwn) return "likely";
  if (isNamed) return ends ? "likely" : "possible";
  return ends && !isCommon ? "possible" : undefined;
}

/** What a literal SETNX and GETSET leaves: the time at which it ends. */
function deadlineOf(raw: RawKey): Recognised | undefined {
  const end = endOf(raw.content[0]?.toString("latin1") ?? "");
  if (end === undefined || !isNearby(end, raw.asOf)) return undefined;
  const found = recogniseDeadline(raw);
  return found && { ...found, confidence: "likely" };
}

function someTokenOf(raw: RawKey, name: string, shapes: readonly Shaped[]): Recognised | undefined {
  if (!shapes.some(({ shape }) => shape === "text")) return undefined;
  const candidates = CHOSEN.filter(([own]) => own.test(name)).map(([, format]) => format);
  const known = { format: "token", candidates, kind: "lock", confidence: "possible" } as const;
  return { ...known, ...heldBy(raw, {}, undefined) };
}

function heldBy(
  raw: RawKey,
  carried: Carried,
  flavour: Flavour | undefined,
): Pick<Recognised, "holders" | "remainingMs" | "waiters"> {
  const { remainingMs, content } = raw;
  const known: Partial<SeenHolder> = {
    ...sinceOf(carried),
    record: recordOf(carried),
    ...(flavour?.kind === "write" ? { role: "write" } : {}),
  };
  return {
    holders: [strangerOf(ownerOf(content[0] ?? Buffer.of()), known)],
    remainingMs: remainingMs !== null && remainingMs > NEVER_MS ? null : remainingMs,
    ...(carried.waits === undefined ? {} : { waiters: { count: 1, known: "exact" } as const }),
  };
}

function sinceOf({ iso, uuid1 }: Carried): Pick<SeenHolder, "sinceMs" | "sinceIs"> | undefined {
  const sinceMs = uuid1 === undefined ? Date.parse(iso ?? "") : timeOfUuid1(uuid1);
  return Number.isNaN(sinceMs) ? undefined : { sinceMs, sinceIs: "told" };
}

function recordOf({ host, pid, added }: Carried): OwnerRecord | undefined {
  const record: OwnerRecord = {
    ...named("host", host),
    ...(pid === undefined ? {} : { pid: Number(pid) }),
    ...named("purpose", added),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

/** @param latin1 bytes, of which only what is text for people is shown */
function named(field: "host" | "purpose", latin1: string | undefined): OwnerRecord {
  const text = Buffer.from(latin1 ?? "", "latin1").toString("utf8");
  if (text === "" || /[\p{C}\ufffd]/u.test(text)) return {};
  return { [field]: text.slice(0, RECORD_TEXT_MAX).toWellFormed() };
}
