import { z } from "zod";
import type { Confidence } from "../../../lib/contract/format.ts";
import { RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { encodeKey, formatKey, type Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { toRedisArgument } from "../../redis/script.ts";
import type { DetailReader, DetectionBasis, LockFormat } from "../lock-format.ts";
import {
  createForeignHolder,
  type DetectedLock,
  type HeldObservation,
  type SeenHolder,
} from "../observation.ts";
import { parseMembers, type QueueReader } from "../queue-reader.ts";
import { type RawKey, toOwner } from "../raw-key.ts";
import { createJobsRelease, type JobKeys } from "./force-release-members.ts";
import { parseOwners, sortHolders } from "./scored-members.ts";

const LOCKED = ":LOCKED";
const JOB_ID = /^[0-9a-f]{24}$/;
const DIGEST = "[0-9a-f]{32,64}(?::RUN)?";
const BY_DEFAULT = new RegExp(`^(|.*:)uniquejobs:${DIGEST}${LOCKED}$`, "s");
const BY_ANY_PREFIX = new RegExp(`:${DIGEST}${LOCKED}$`);
/** The element that wakes waiters. An unlock leaves it in the list for five seconds. */
const SENTINEL = "1";
const WAITING_MAX = 256;

/**
 * The info of a lock, as the library names it. Version 9 stores the info in the value of each job. Version 8 stores it
 * in a separate key, if configured.
 */
const LockInfo = z.object({
  worker: z.string().nullish().catch(null),
  limit: z.coerce.number().int().min(1).max(1e6).nullish().catch(null),
  time: z.number().nullish().catch(null),
});
type LockInfo = z.infer<typeof LockInfo>;

function parseLockInfo(json: unknown): LockInfo | undefined {
  if (typeof json !== "string" || !json.startsWith("{")) return undefined;
  try {
    return LockInfo.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/**
 * Detects a sidekiq-unique-jobs lock, which is a hash whose fields are job ids. Each value is the time at which the job
 * acquired the lock, in Unix seconds (version 8), or the info of the lock (version 9).
 */
export function detectSidekiqJobs(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const jobs = raw.type === "hash" ? parseJobs(raw.content) : [];
  const confidence = assessConfidence(formatKey(raw.key), jobs, how);
  const parsed = jobs.flatMap((job) => toHolder(job) ?? []);
  const holders = sortHolders(parsed);
  if (confidence === undefined || holders === undefined || parsed.length < jobs.length) return undefined;
  const known = { format: "sidekiq-unique-jobs", candidates: [], confidence, holders } as const;
  const limit = parseLockInfo(jobs[0]?.value)?.limit ?? null;
  return { remainingMs: raw.remainingMs, ...toKind(holders.length, limit), ...known };
}

interface Job {
  readonly id: Key;
  readonly value: Key;
}

function parseJobs(content: readonly Buffer[]): Job[] {
  const ids = parseOwners(content.filter((_, at) => at % 2 === 0)) ?? [];
  return ids.map((id, at) => ({ id, value: toOwner(content[2 * at + 1] ?? Buffer.alloc(0)) }));
}

function assessConfidence(name: string, jobs: readonly Job[], how: DetectionBasis): Confidence | undefined {
  if (how === "by_rule") return name.endsWith(LOCKED) ? "certain" : undefined;
  if (!jobs.every(({ id }) => JOB_ID.test(id))) return undefined;
  if (BY_DEFAULT.test(name)) return "certain";
  return BY_ANY_PREFIX.test(name) ? "likely" : undefined;
}

function toHolder({ id, value }: Job): SeenHolder | undefined {
  const parsed = parseLockInfo(value);
  const seconds = parsed === undefined ? Number(value || "x") : parsed.time;
  if (seconds != null && !(seconds > 1e9 && seconds < 1e10)) return undefined;
  return createForeignHolder(id, {
    stored: [value],
    ...(seconds == null ? {} : { sinceMs: Math.floor(seconds * 1000), sinceIs: "reported" }),
    ...toRecord(parsed),
  });
}

function toRecord(parsed: LockInfo | undefined): Pick<SeenHolder, "record"> | undefined {
  const worker = parsed?.worker;
  return worker ? { record: { purpose: worker.slice(0, RECORD_TEXT_MAX) } } : undefined;
}

function toKind(held: number, limit: number | null): Pick<DetectedLock, "kind" | "permits"> {
  if (limit !== null && limit > 1)
    return { kind: "semaphore", permits: { available: Math.max(0, limit - held), total: limit } };
  return { kind: held > 1 ? "semaphore" : "lock" };
}

function detectVersion({ holders: [{ stored }] }: HeldObservation): JobKeys["version"] {
  return stored?.[0]?.startsWith("{") ? "9" : "8";
}

/**
 * Returns the keys that belong to a lock. A configured namespace is a prefix of each of these keys, but not of the
 * digest.
 */
function buildJobKeys(seen: HeldObservation): JobKeys {
  const locked = Buffer.from(encodeKey(seen.key));
  const digest = locked.subarray(0, -LOCKED.length);
  const namespace = BY_DEFAULT.exec(formatKey(seen.key))?.[1] ?? "";
  const beside = (suffix: string) => Buffer.concat([digest, Buffer.from(suffix)]);
  return {
    version: detectVersion(seen),
    digest: digest.subarray(Buffer.byteLength(namespace)),
    keys: [
      ...[locked, digest, beside(":INFO"), beside(":PRIMED"), beside(":QUEUED")],
      ...[`${namespace}uniquejobs:digests`, `${namespace}uniquejobs:expiring_digests`],
    ],
  };
}

/** Reads the waiters and the info of a version 8 lock. */
const JOB_DETAILS: DetailReader = {
  buildCommands(seen) {
    if (detectVersion(seen) === "9") return [];
    const [, , info = "", primed = "", queued = ""] = buildJobKeys(seen).keys as RedisArgument[];
    return [
      ["LRANGE", queued, 0, WAITING_MAX - 1],
      ["LRANGE", primed, 0, WAITING_MAX - 1],
      ["GETRANGE", info, 0, 4095],
    ];
  },
  applyAnswers(seen, [queued, primed, info]) {
    const lists = [queued, primed].map((list) => parseMembers(list).map(String));
    const holders = new Set(seen.holders.map(({ token }) => token));
    const waiting = new Set(lists.flat().filter((id) => id !== SENTINEL && !holders.has(id)));
    const isCut = lists.some(({ length }) => length === WAITING_MAX);
    const parsed = parseLockInfo(Buffer.isBuffer(info) ? info.toString("utf8") : undefined);
    return {
      ...seen,
      ...toKind(seen.holders.length, parsed?.limit ?? null),
      holders: addRecord(seen.holders, toRecord(parsed)),
      waiters: {
        count: (seen.waiters?.count ?? 0) + waiting.size,
        known: isCut ? "estimated" : "exact",
      },
    };
  },
};

function addRecord(
  [first, ...rest]: HeldObservation["holders"],
  record: Pick<SeenHolder, "record"> | undefined,
): HeldObservation["holders"] {
  return [{ ...first, ...record }, ...rest.map((holder) => ({ ...holder, ...record }))];
}

/**
 * Reads the waiting jobs of a version 8 lock. The client that pops an id runs that job, so waiters do not acquire the
 * lock in list order.
 */
const JOB_QUEUE: QueueReader = {
  order: "unknown",
  buildCommands(key) {
    const { primed, queued } = buildWaitingKeys(key);
    return [
      ["LRANGE", primed, 0, WAITING_MAX - 1],
      ["LRANGE", queued, 0, WAITING_MAX - 1],
      ["HKEYS", toRedisArgument(key)],
    ];
  },
  parseQueue([primed, queued, locked]) {
    const holders = new Set(parseMembers(locked).map(String));
    const ids = new Set([...parseMembers(primed), ...parseMembers(queued)].map(String));
    const waiting = [...ids].filter((id) => id !== SENTINEL && !holders.has(id));
    return waiting.map((owner) => ({ owner, sinceMs: null, untilMs: null }));
  },
};

function buildWaitingKeys(key: Key): { primed: Buffer; queued: Buffer } {
  const digest = Buffer.from(encodeKey(key)).subarray(0, -LOCKED.length);
  const beside = (suffix: string) => Buffer.concat([digest, Buffer.from(suffix)]);
  return { primed: beside(":PRIMED"), queued: beside(":QUEUED") };
}

export const SIDEKIQ: LockFormat = {
  name: "sidekiq-unique-jobs",
  types: ["hash"],
  detect: detectSidekiqJobs,
  more: JOB_DETAILS,
  queue: JOB_QUEUE,
  // Not reservable: the reaper of the library releases locks whose holder is not the id of a job.
  releaser: { oneHolder: true, reservable: false, forceRelease: createJobsRelease(buildJobKeys) },
};
