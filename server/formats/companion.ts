import { z } from "zod";
import { LEASE_MS_MAX } from "../../lib/contract/actions/verb.ts";
import { WritableFormat } from "../../lib/contract/format.ts";
import type { ReleaseRequest } from "../../lib/contract/holds/release-request.ts";
import { OwnerRecord } from "../../lib/contract/lock.ts";
import type { AcquireRequest } from "./lock-requests.ts";
import type { SeenHolder, StatedRenewal } from "./observation.ts";
import { RELEASE_REQUEST_FIELD, toReleaseRequest } from "./release-request.ts";

/**
 * The fields of a companion, as companion.lua writes them. Do not trust the fields until you have compared them with
 * the content of the lock.
 */
export interface Companion {
  /** Identifies the hold. Equals the content of the lock in all formats except `timestamp`. */
  readonly token: string;
  /**
   * For `timestamp`, the content of the lock. For other formats, the kind of the lock, or empty for the kind `lock`.
   */
  readonly value: string;
  readonly count: number;
  readonly fence: string | null;
  readonly sinceMs: number | null;
  readonly leaseMs: number | null;
  readonly seq: number;
  readonly format: WritableFormat;
  /** The label shown for the holder. */
  readonly owner: string;
  /** The API principal that acquired the hold. Empty for a client of the library. */
  readonly principal?: string;
  readonly record: OwnerRecord | undefined;
  readonly statedRenewal?: StatedRenewal | undefined;
  /** Whether the client reads release requests. */
  readonly receivesReleaseRequests?: true | undefined;
  readonly releaseRequested?: ReleaseRequest | undefined;
  readonly graceMs: number;
}

/**
 * Number of leading digits of a fencing token that are the start of the hold in Unix ms. They are used if the companion
 * does not contain the start. Must match companion.lua.
 */
const SINCE_DIGITS = 13;

/** Parses a companion. Returns `undefined` if the companion does not describe a hold. */
export function parseCompanion(text: string): Companion | undefined {
  const [
    token,
    value = "",
    count,
    fence,
    since,
    lease,
    grace,
    ,
    seq,
    format,
    owner = "",
    principal = "",
    record,
  ] = text.split("\n", 13);
  const known = WritableFormat.safeParse(format);
  if (token === undefined || token === "" || !known.success) return undefined;
  return {
    token: copyText(token),
    value: copyText(value),
    count: parseWholeNumber(count) ?? 1,
    fence: fence !== undefined && /^\d{1,16}$/.test(fence) ? copyText(fence) : null,
    sinceMs: parseWholeNumber(since === "" && fence?.length === 16 ? fence.slice(0, SINCE_DIGITS) : since),
    leaseMs: parseWholeNumber(lease),
    graceMs: parseWholeNumber(grace) ?? 0,
    seq: parseWholeNumber(seq) ?? 0,
    format: known.data,
    owner: copyText(owner),
    principal: copyText(principal),
    record: parseOwnerRecord(record),
    statedRenewal: parseStatedRenewal(record),
    ...parseReleaseRequestField(record),
  };
}

/** Copies a substring, because a slice would keep the whole Redis reply in memory while the lock is held. */
function copyText(part: string): string {
  return Buffer.from(part).toString();
}

/**
 * Creates a holder from the fields of its companion. If there is no companion, the client uses another library, so the
 * holder is foreign.
 */
export function toSeenHolder(
  token: string,
  count: number,
  companion:
    | (Pick<
        Companion,
        | "fence"
        | "sinceMs"
        | "leaseMs"
        | "seq"
        | "owner"
        | "principal"
        | "record"
        | "statedRenewal"
        | "receivesReleaseRequests"
        | "releaseRequested"
        | "graceMs"
      > &
        Partial<Pick<Companion, "value">>)
    | undefined,
): SeenHolder {
  const principal = companion?.principal ?? "";
  return {
    token,
    owner: companion?.owner || token,
    count,
    fence: companion?.fence ?? null,
    sinceMs: companion?.sinceMs ?? null,
    leaseMs: companion?.leaseMs ?? null,
    record: companion?.record,
    marginMs: companion?.graceMs ?? 0,
    seq: companion?.seq ?? 0,
    ...(companion?.statedRenewal === undefined ? {} : { statedRenewal: companion.statedRenewal }),
    ...(companion?.receivesReleaseRequests === undefined ? {} : { receivesReleaseRequests: true }),
    ...(companion?.releaseRequested === undefined ? {} : { releaseRequested: companion.releaseRequested }),
    ...(principal === "" ? {} : { principal }),
    ...(isNamedKind(companion?.value) ? { kind: companion.value } : {}),
  };
}

/** Whether `value` names a kind of lock that cannot be detected from the content of the lock. */
function isNamedKind(value: string | undefined): value is NonNullable<SeenHolder["kind"]> {
  return value === "fair" || value === "plain_semaphore";
}

export function parseWholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

/** Field of the renewal interval in the record line. The name is short because every hold with a watchdog stores it. */
const RENEWS_FIELD = "renews";

/**
 * Formats the record line of a companion: the owner record, the renewal interval, and whether the client reads release
 * requests. Scripts change only the field for release requests (release-requests.lua).
 */
export function formatRecordLine(
  record: OwnerRecord | undefined,
  statedRenewal: StatedRenewal | undefined,
  receivesReleaseRequests = false,
): string {
  if (statedRenewal === undefined && !receivesReleaseRequests)
    return record === undefined ? "" : JSON.stringify(record);
  return JSON.stringify({
    ...record,
    ...(statedRenewal && { [RENEWS_FIELD]: [statedRenewal.everyMs, statedRenewal.ofLeaseMs] }),
    ...(receivesReleaseRequests ? { [RELEASE_REQUEST_FIELD]: 0 } : {}),
  });
}

/** Minimum time in ms by which a companion outlives its hold. Must match companion.lua. */
const COMPANION_MS_MIN = 600_000;

/** Returns the TTL of the companion of a new hold, in ms. */
export function computeCompanionMs(leaseMs: number): number {
  return leaseMs + Math.max(COMPANION_MS_MIN, 2 * leaseMs);
}

/**
 * Formats the owner, principal and record lines as companion.lua stores them. If the request declares a waiter, its
 * declaration follows.
 */
export function formatOwnerLines(ask: Omit<AcquireRequest, "token">): string {
  const { owner, principal, record, renewEveryMs, receivesReleaseRequests, leaseMs, declared } = ask;
  const stated = renewEveryMs === undefined ? undefined : { everyMs: renewEveryMs, ofLeaseMs: leaseMs };
  const lines = `${owner}\n${principal ?? ""}\n${formatRecordLine(record, stated, receivesReleaseRequests)}`;
  return declared === undefined ? lines : `${lines}\n${declared}`;
}

/**
 * Parses the owner record in the record line of a companion. Returns `undefined` if the record is invalid or empty. Any
 * client can write the companion, so the line is not trusted.
 */
export function parseOwnerRecord(line: string | undefined): OwnerRecord | undefined {
  const { success, data } = OwnerRecord.safeParse(parseJson(line));
  return success && Object.keys(data).length > 0 ? data : undefined;
}

const LeaseMs = z.int().min(1).max(LEASE_MS_MAX);
const StatedRenewalLine = z.object({ [RENEWS_FIELD]: z.tuple([LeaseMs, LeaseMs]) });

function parseStatedRenewal(line: string | undefined): StatedRenewal | undefined {
  if (line === undefined || !line.includes(RENEWS_FIELD)) return undefined;
  const { success, data } = StatedRenewalLine.safeParse(parseJson(line));
  if (!success) return undefined;
  const [everyMs, ofLeaseMs] = data[RENEWS_FIELD];
  return { everyMs, ofLeaseMs };
}

function parseReleaseRequestField(
  line: string | undefined,
): Pick<Companion, "receivesReleaseRequests" | "releaseRequested"> {
  if (line === undefined || !line.includes(RELEASE_REQUEST_FIELD)) return {};
  const { success, data } = ReleaseRequestLine.safeParse(parseJson(line));
  if (!success) return {};
  const stored = data[RELEASE_REQUEST_FIELD];
  const releaseRequested = toReleaseRequest(stored);
  if (stored !== 0 && releaseRequested === undefined) return {};
  return { receivesReleaseRequests: true, releaseRequested };
}

const ReleaseRequestLine = z.object({ [RELEASE_REQUEST_FIELD]: z.unknown() });

function parseJson(text: string | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
