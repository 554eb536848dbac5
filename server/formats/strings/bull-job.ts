import type { FormatName } from "../../../lib/contract/format.ts";
import { type OwnerRecord, RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { isBinary } from "../../../lib/keys/key.ts";
import { wholeOf } from "../companion.ts";
import type { More } from "../lock-format.ts";
import type { HeldObservation } from "../observation.ts";
import { alikeWith } from "./string-variants.ts";

/** `<prefix>:<queue>:<job>:lock`; the jobs that a repetition makes have colons in their ids. */
const NAME = /^(?<queue>.+?):(?<id>repeat:.+:\d+|[^:]+):lock$/s;

/** Bull's lock stands beside the job that it is for. Without that job it is some other lock of this name. */
export const JOB: More = {
  ask({ key }) {
    const name = isBinary(key) ? undefined : NAME.exec(key)?.groups;
    if (name === undefined) return [];
    const { queue, id } = name;
    return [
      ["TYPE", `${queue}:${id}`],
      ["HMGET", `${queue}:${id}`, "timestamp", "processedOn", "pb"],
      ["HGET", `${queue}:meta`, "version"],
    ];
  },

  take(seen, [type, job, version]) {
    if (typeof type !== "string") return seen;
    const [timestamp, processedOn, worker] = (Array.isArray(job) ? job : []) as unknown[];
    if (typeof timestamp !== "string") return seen.confidence === "certain" ? seen : withoutJob(seen);
    const isBullMq = seen.format === "bullmq" || String(version).startsWith("bullmq");
    const sinceMs = wholeOf(typeof processedOn === "string" ? processedOn : undefined);
    const [holder] = seen.holders;
    const known = {
      ...(sinceMs === null ? {} : { sinceMs, sinceIs: "told" as const }),
      record: recordOf(worker) ?? holder.record,
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

function withoutJob(seen: HeldObservation): HeldObservation {
  const isUuid = seen.format === "bull";
  const candidates: readonly FormatName[] = isUuid ? alikeWith("uuid4") : [seen.format];
  return { ...seen, format: "token", candidates, confidence: isUuid ? "likely" : "possible" };
}

function recordOf(worker: unknown): OwnerRecord | undefined {
  if (typeof worker !== "string" || worker === "" || /\p{C}/u.test(worker)) return undefined;
  return { service: worker.slice(0, RECORD_TEXT_MAX).toWellFormed() };
}
