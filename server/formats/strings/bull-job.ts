import type { FormatName } from "../../../lib/contract/format.ts";
import { type OwnerRecord, RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { isBinaryKey } from "../../../lib/keys/key.ts";
import { parseWholeNumber } from "../companion.ts";
import type { DetailReader } from "../lock-format.ts";
import type { HeldObservation } from "../observation.ts";
import { findLookalikeFormats } from "./string-variants.ts";

/** `<prefix>:<queue>:<job>:lock`; the jobs that a repetition makes have colons in their ids. */
const NAME = /^(?<queue>.+?):(?<id>repeat:.+:\d+|[^:]+):lock$/s;

/** Bull's lock stands beside the job that it is for. Without that job it is some other lock of this name. */
export const BULL_JOB_DETAILS: DetailReader = {
  buildCommands({ key }) {
    const name = isBinaryKey(key) ? undefined : NAME.exec(key)?.groups;
    if (name === undefined) return [];
    const { queue, id } = name;
    return [
      ["TYPE", `${queue}:${id}`],
      ["HMGET", `${queue}:${id}`, "timestamp", "processedOn", "pb"],
      ["HGET", `${queue}:meta`, "version"],
    ];
  },

  applyAnswers(seen, [type, job, version]) {
    if (typeof type !== "string") return seen;
    const [timestamp, processedOn, worker] = (Array.isArray(job) ? job : []) as unknown[];
    if (typeof timestamp !== "string") return seen.confidence === "certain" ? seen : toUnknownToken(seen);
    const isBullMq = seen.format === "bullmq" || String(version).startsWith("bullmq");
    const sinceMs = parseWholeNumber(typeof processedOn === "string" ? processedOn : undefined);
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
      holders: [{ ...holder, ...known }],
    };
  },
};

function toUnknownToken(seen: HeldObservation): HeldObservation {
  const isUuid = seen.format === "bull";
  const candidates: readonly FormatName[] = isUuid ? findLookalikeFormats("uuid4") : [seen.format];
  return { ...seen, format: "token", candidates, confidence: isUuid ? "likely" : "possible" };
}

function parseWorkerRecord(worker: unknown): OwnerRecord | undefined {
  if (typeof worker !== "string" || worker === "" || /\p{C}/u.test(worker)) return undefined;
  return { service: worker.slice(0, RECORD_TEXT_MAX).toWellFormed() };
}
