import type { FormatName } from "../../../lib/contract/format.ts";
import { type OwnerRecord, RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { isBinaryKey } from "../../../lib/keys/key.ts";
import { parseWholeNumber } from "../companion.ts";
import type { DetailReader } from "../lock-format.ts";
import type { HeldObservation } from "../observation.ts";
import { findLookalikeFormats } from "./string-variants.ts";

const LOCK_SUFFIX = ":lock";
const REPETITION = ":repeat:";

/**
 * Parses the name of a job's lock, `<prefix>:<queue>:<job>:lock`. Returns `undefined` for any other name. Ids of
 * repeated jobs contain colons: `repeat:<id>:<time>`.
 *
 * Takes linear time, whereas a regular expression could take quadratic time because of backtracking.
 */
export function parseJobLockName(name: string): { queue: string; id: string } | undefined {
  if (!name.endsWith(LOCK_SUFFIX)) return undefined;
  const job = name.slice(0, -LOCK_SUFFIX.length);
  const lastColon = job.lastIndexOf(":");
  const repetition = job.indexOf(REPETITION, 1);
  const isRepetition = repetition > 0 && lastColon > repetition + REPETITION.length;
  const idAt = isRepetition && /^\d+$/.test(job.slice(lastColon + 1)) ? repetition : lastColon;
  if (idAt < 1 || idAt === job.length - 1) return undefined;
  return { queue: job.slice(0, idAt), id: job.slice(idAt + 1) };
}

/**
 * Reads the job that Bull stores next to its lock. A key without a job is assumed to be another lock with a similar
 * name, unless the format is certain.
 *
 * Also reads the job of a lock that was detected as another format, because BullMQ applications can choose the token.
 * Such a lock is a job lock only if its queue states a version of BullMQ.
 */
export const BULL_JOB_DETAILS: DetailReader = {
  buildCommands(seen) {
    const { key } = seen;
    const name = isBinaryKey(key) ? undefined : parseJobLockName(key);
    if (name === undefined || (!isDetectedAsJob(seen) && seen.confidence === "certain")) return [];
    const { queue, id } = name;
    return [
      ["TYPE", `${queue}:${id}`],
      ["HMGET", `${queue}:${id}`, "timestamp", "processedOn", "pb"],
      ["HMGET", `${queue}:meta`, "version"],
    ];
  },

  applyAnswers(seen, [type, job, meta]) {
    if (type === undefined) return seen;
    const [timestamp, processedOn, worker] = parseFields(job);
    const [version] = parseFields(meta);
    const statesBullMq = version?.startsWith("bullmq") === true;
    if (!isDetectedAsJob(seen) && (timestamp === undefined || !statesBullMq)) return seen;
    if (timestamp === undefined) return seen.confidence === "certain" ? seen : toUnknownToken(seen);
    const isBullMq = seen.format === "bullmq" || statesBullMq;
    const sinceMs = parseWholeNumber(processedOn);
    const [holder] = seen.holders;
    const known = {
      ...(sinceMs === null ? {} : { sinceMs, sinceIs: "reported" as const }),
      record: parseWorkerRecord(worker) ?? holder.record,
    };
    return {
      ...seen,
      format: isBullMq ? "bullmq" : "bull",
      candidates: [],
      confidence: "certain",
      ...(isDetectedAsJob(seen) ? {} : { isChosen: true as const }),
      holders: [{ ...holder, ...known }],
    };
  },
};

function isDetectedAsJob({ format }: HeldObservation): boolean {
  return format === "bull" || format === "bullmq";
}

function toUnknownToken(seen: HeldObservation): HeldObservation {
  const isUuid = seen.format === "bull";
  const candidates: readonly FormatName[] = isUuid ? findLookalikeFormats("uuid4") : [seen.format];
  return { ...seen, format: "token", candidates, confidence: isUuid ? "likely" : "possible" };
}

/** Parses the fields in a reply of HMGET. A field is `undefined` if it is missing or too large. */
function parseFields(answer: unknown): (string | undefined)[] {
  const fields: readonly unknown[] = Array.isArray(answer) ? answer : [];
  return fields.map((field) => (Buffer.isBuffer(field) ? field.toString("utf8") : undefined));
}

function parseWorkerRecord(worker: string | undefined): OwnerRecord | undefined {
  if (worker === undefined || worker === "" || /\p{C}/u.test(worker)) return undefined;
  return { service: worker.slice(0, RECORD_TEXT_MAX).toWellFormed() };
}
