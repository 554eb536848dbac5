import { z } from "zod";
import type { Confidence } from "../../../lib/contract/format.ts";
import { RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { bytesOfKey, type Key, textOfKey } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { argumentOf } from "../../redis/script.ts";
import type { How, KnownFormat, More } from "../lock-format.ts";
import { type HeldObservation, type Recognised, type SeenHolder, strangerOf } from "../observation.ts";
import { membersOf, type Queue } from "../queue-reader.ts";
import { ownerOf, type RawKey } from "../raw-key.ts";
import { freesJobs, type JobKeys } from "./force-release-members.ts";
import { inOrder, ownersOf } from "./scored-members.ts";

const LOCKED = ":LOCKED";
const JOB_ID = /^[0-9a-f]{24}$/;
const DIGEST = "[0-9a-f]{32,64}(?::RUN)?";
const BY_DEFAULT = new RegExp(`^(|.*:)uniquejobs:${DIGEST}${LOCKED}$`, "s");
const BY_ANY_PREFIX = new RegExp(`:${DIGEST}${LOCKED}$`);
/** What wakes who waits; an unlock leaves it behind for five seconds. */
const SENTINEL = "1";
const WAITING_MAX = 256;

/** What is told of a lock: in version 9 by each job's value, in version 8 in a key beside it, where the app wants so. */
const Told = z.object({
  worker: z.string().nullish().catch(null),
  limit: z.coerce.number().int().min(1).max(1e6).nullish().catch(null),
  time: z.number().nullish().catch(null),
});
type Told = z.infer<typeof Told>;

function toldOf(json: unknown): Told | undefined {
  if (typeof json !== "string" || !json.startsWith("{")) return undefined;
  try {
    return Told.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** A hash of job ids: when each took the lock, in seconds (version 8), or what it tells of itself (version 9). */
export function recogniseJobs(raw: RawKey, how: How): Recognised | undefined {
  const jobs = raw.type === "hash" ? jobsOf(raw.content) : [];
  const confidence = confidenceOf(textOfKey(raw.key), jobs, how);
  const told = jobs.flatMap((job) => holderOf(job) ?? []);
  const holders = inOrder(told);
  if (confidence === undefined || holders === undefined || told.length < jobs.length) return undefined;
  const known = { format: "sidekiq-unique-jobs", candidates: [], confidence, holders } as const;
  const limit = toldOf(jobs[0]?.value)?.limit ?? null;
  return { ...known, ...kindOf(holders.length, limit), remainingMs: raw.remainingMs };
}

interface Job {
  readonly id: Key;
  readonly value: Key;
}

function jobsOf(content: readonly Buffer[]): Job[] {
  const ids = ownersOf(content.filter((_, at) => at % 2 === 0)) ?? [];
  return ids.map((id, at) => ({ id, value: ownerOf(content[2 * at + 1] ?? Buffer.alloc(0)) }));
}

function confidenceOf(name: string, jobs: readonly Job[], how: How): Confidence | undefined {
  if (how === "by_rule") return name.endsWith(LOCKED) ? "certain" : undefined;
  if (!jobs.every(({ id }) => JOB_ID.test(id))) return undefined;
  if (BY_DEFAULT.test(name)) return "certain";
  return BY_ANY_PREFIX.test(name) ? "likely" : undefined;
}

function holderOf({ id, value }: Job): SeenHolder | undefined {
  const told = toldOf(value);
  const seconds = told === undefined ? Number(value || "x") : told.time;
  if (seconds != null && !(seconds > 1e9 && seconds < 1e10)) return undefined;
  return strangerOf(id, {
    stored: [value],
    ...(seconds == null ? {} : { sinceMs: Math.floor(seconds * 1000), sinceIs: "told" }),
    ...recordOf(told),
  });
}

function recordOf(told: Told | undefined): Pick<SeenHolder, "record"> | undefined {
  const worker = told?.worker;
  return worker ? { record: { purpose: worker.slice(0, RECORD_TEXT_MAX) } } : undefined;
}

function kindOf(held: number, limit: number | null): Pick<Recognised, "kind" | "permits"> {
  if (limit !== null && limit > 1)
    return { kind: "semaphore", permits: { available: Math.max(0, limit - held), total: limit } };
  return { kind: held > 1 ? "semaphore" : "lock" };
}

function versionOf({ holders: [{ stored }] }: HeldObservation): JobKeys["version"] {
  return stored?.[0]?.startsWith("{") ? "9" : "8";
}

/** The keys that belong to a lock. A namespace stands before all of them, and in no digest. */
function keysOf(seen: HeldObservation): JobKeys {
  const locked = Buffer.from(bytesOfKey(seen.key));
  const digest = locked.subarray(0, -LOCKED.length);
  const namespace = BY_DEFAULT.exec(textOfKey(seen.key))?.[1] ?? "";
  const beside = (suffix: string) => Buffer.concat([digest, Buffer.from(suffix)]);
  return {
    version: versionOf(seen),
    digest: digest.subarray(Buffer.byteLength(namespace)),
    keys: [
      ...[locked, digest, beside(":INFO"), beside(":PRIMED"), beside(":QUEUED")],
      ...[`${namespace}uniquejobs:digests`, `${namespace}uniquejobs:expiring_digests`],
    ],
  };
}

/** Of version 8: who waits for the lock, and what is told of it. */
const beside: More = {
  ask(seen) {
    if (versionOf(seen) === "9") return [];
    const [, , info = "", primed = "", queued = ""] = keysOf(seen).keys as RedisArgument[];
    return [
      ["LRANGE", queued, 0, WAITING_MAX - 1],
      ["LRANGE", primed, 0, WAITING_MAX - 1],
      ["GETRANGE", info, 0, 4095],
    ];
  },
  take(seen, [queued, primed, info]) {
    const lists = [queued, primed].map((list) => (Array.isArray(list) ? list.map(String) : []));
    const holders = new Set(seen.holders.map(({ owner }) => owner));
    const waiting = new Set(lists.flat().filter((id) => id !== SENTINEL && !holders.has(id)));
    const isCut = lists.some(({ length }) => length === WAITING_MAX);
    const told = toldOf(info);
    return {
      ...seen,
      ...kindOf(seen.holders.length, told?.limit ?? null),
      holders: withRecord(seen.holders, recordOf(told)),
      waiters: {
        count: (seen.waiters?.count ?? 0) + waiting.size,
        known: isCut ? "estimated" : "exact",
      },
    };
  },
};

function withRecord(
  [first, ...rest]: HeldObservation["holders"],
  record: Pick<SeenHolder, "record"> | undefined,
): HeldObservation["holders"] {
  return [{ ...first, ...record }, ...rest.map((holder) => ({ ...holder, ...record }))];
}

/** Whoever takes an id off the list has it run: the order of the list is none of service. */
const jobsThatWait: Queue = {
  order: "unseen",
  ask(key) {
    const { primed, queued } = waitingKeysOf(key);
    return [
      ["LRANGE", primed, 0, WAITING_MAX - 1],
      ["LRANGE", queued, 0, WAITING_MAX - 1],
      ["HKEYS", argumentOf(key)],
    ];
  },
  take([primed, queued, locked]) {
    const holders = new Set(membersOf(locked).map(String));
    const ids = new Set([...membersOf(primed), ...membersOf(queued)].map(String));
    const waiting = [...ids].filter((id) => id !== SENTINEL && !holders.has(id));
    return waiting.map((owner) => ({ owner, sinceMs: null, untilMs: null }));
  },
};

function waitingKeysOf(key: Key): { primed: Buffer; queued: Buffer } {
  const digest = Buffer.from(bytesOfKey(key)).subarray(0, -LOCKED.length);
  const beside = (suffix: string) => Buffer.concat([digest, Buffer.from(suffix)]);
  return { primed: beside(":PRIMED"), queued: beside(":QUEUED") };
}

export const SIDEKIQ: KnownFormat = {
  name: "sidekiq-unique-jobs",
  types: ["hash"],
  recognise: recogniseJobs,
  more: beside,
  queue: jobsThatWait,
  // Not held off: its reaper frees what is held by the id of no job.
  frees: { oneHolder: true, holdOff: false, free: freesJobs(keysOf) },
};
