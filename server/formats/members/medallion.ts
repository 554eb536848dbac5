import { RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { type Key, textOfKey } from "../../../lib/keys/key.ts";
import { argumentOf } from "../../redis/script.ts";
import type { How, KnownFormat, More } from "../lock-format.ts";
import { type HeldObservation, type Recognised, type SeenHolder, strangerOf } from "../observation.ts";
import type { Queue } from "../queue-reader.ts";
import type { RawKey } from "../raw-key.ts";
import { freesScored, freesUnscored } from "./force-release-members.ts";
import { inOrder, isTime, lastEndOf, living, ownersOf, scoredOf } from "./scored-members.ts";

/** `<machine>_<process id>_<id>` */
const OWNER = /^(.+)_(\d{1,10})_[0-9a-f]{32}$/s;
const READERS = ".readers";
const WAITING_WRITER = "_WRITERWAITING";

function holderOf(owner: Key, known: Partial<SeenHolder> = {}): SeenHolder {
  const [, host, pid] = OWNER.exec(owner) ?? [];
  if (host === undefined) return strangerOf(owner, known);
  return strangerOf(owner, { ...known, record: { host: host.slice(0, RECORD_TEXT_MAX), pid: Number(pid) } });
}

const isOwner = (owner: Key) => OWNER.test(owner) && !owner.endsWith(WAITING_WRITER);

/** Readers are a set. It ends as a whole, so one that lives keeps those that died in it. */
export function recogniseReaders(raw: RawKey, how: How): Recognised | undefined {
  const owners = raw.type === "set" ? (ownersOf(raw.content) ?? []) : [];
  const fits = textOfKey(raw.key).endsWith(READERS) && owners.every(isOwner);
  if (how === "by_shape" && !fits) return undefined;
  const holders = inOrder(owners.map((owner) => holderOf(owner, { role: "read" })));
  if (holders === undefined) return undefined;
  const known = { format: "medallion", candidates: [], kind: "read", confidence: "certain" } as const;
  return { ...known, holders, remainingMs: raw.remainingMs };
}

/** A score is when its holder ends, by Redis's clock; the key outlives them. */
export function recognisePermits(raw: RawKey, how: How): Recognised | undefined {
  const members = scoredOf(raw).map((each) => ({ ...each, leftMs: Math.ceil(each.score - raw.asOf) }));
  if (!members.every(isTime)) return undefined;
  if (how === "by_shape" && !members.every(({ member }) => isOwner(member))) return undefined;
  const holders = inOrder(
    living(members).map(({ member, leftMs }) => holderOf(member, { ownRemainingMs: leftMs })),
  );
  if (holders === undefined) return undefined;
  const known = { format: "medallion", candidates: [], kind: "semaphore", confidence: "certain" } as const;
  return { ...known, holders, remainingMs: lastEndOf(members) };
}

/** `orders.writer` of `orders.readers`. */
function waitingWriterAsked(key: Key): [command: string, key: Buffer, from: number, to: number][] {
  if (!textOfKey(key).endsWith(READERS)) return [];
  const name = Buffer.from(argumentOf(key) as string | Buffer).subarray(0, -READERS.length);
  return [["GETRANGE", Buffer.concat([name, Buffer.from(".writer")]), 0, 1023]];
}

/** A writer that waits stands in the writer's key, one at a time; who waits behind it, and which reader, is not seen. */
const waitingWriter: More = {
  ask: ({ key }) => waitingWriterAsked(key),
  take(seen: HeldObservation, [writer]) {
    if (typeof writer !== "string" || !writer.endsWith(WAITING_WRITER)) return seen;
    return { ...seen, waiters: { count: (seen.waiters?.count ?? 0) + 1, known: "unknowable" } };
  },
};

/** It keeps new readers out, so it is next when those that are in have left. */
const writersTurn: Queue = {
  order: "in_turn",
  ask: waitingWriterAsked,
  take([writer]) {
    const owner = Buffer.isBuffer(writer) ? writer.toString() : "";
    if (!owner.endsWith(WAITING_WRITER)) return [];
    return [{ owner: owner.slice(0, -WAITING_WRITER.length), sinceMs: null, untilMs: null }];
  },
};

export const MEDALLION_READERS: KnownFormat = {
  name: "medallion",
  types: ["set"],
  recognise: recogniseReaders,
  more: waitingWriter,
  queue: writersTurn,
  // Not held off: a writer would have to stand in another key, which is listed and freed as a lock of its own.
  frees: { oneHolder: true, holdOff: false, free: freesUnscored },
};

export const MEDALLION_SEMAPHORE: KnownFormat = {
  name: "medallion",
  types: ["zset"],
  recognise: recognisePermits,
  // Not held off: how many may hold it is written nowhere, so nobody can take all that is left.
  frees: { oneHolder: true, holdOff: false, free: freesScored("end") },
};
