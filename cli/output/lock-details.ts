import type { ReleaseRequest } from "../../lib/contract/holds/release-request.ts";
import type { Liveness } from "../../lib/contract/liveness.ts";
import type { Holder, Lock, OwnerRecord } from "../../lib/contract/lock.ts";
import { formatDuration } from "./duration.ts";
import { formatExpiry, formatHeld, formatWaiters, UNKNOWN } from "./lock-table.ts";
import { toPrintable } from "./printable.ts";
import type { Style } from "./style.ts";
import { formatPairs } from "./table.ts";

type Pair = readonly [name: string, value: string | undefined];

/** Formats all known facts about one lock. If there are several holders, each has its own section. */
export function formatLockDetails(lock: Lock, style: Style): string {
  const { holders } = lock;
  const title = `${style.bold(toPrintable(lock.key))}\n`;
  const [first, ...others] = holders.map((holder) => listHolderPairs(holder, lock));
  if (others.length === 0)
    return title + formatPairs([...listLockPairs(lock), ...(first ?? []), ...listClosingPairs(lock)], style);
  const sections = [first ?? [], ...others].map(
    (pairs, at) => `\n${style.bold(`Holder ${at + 1} of ${holders.length}`)}\n${formatPairs(pairs, style)}`,
  );
  const common = formatPairs([...listLockPairs(lock), ...listClosingPairs(lock)], style);
  return [title, common, ...sections].join("");
}

function listLockPairs(lock: Lock): Pair[] {
  const { state, format, confidence, candidates, kind, waiters, votes, leaseMs, liveness, permits } = lock;
  return [
    ["State", state],
    ["Format", format === null ? undefined : formatFormat(format, confidence, candidates)],
    ["Kind", kind ?? undefined],
    ["Expires", state === "free" ? undefined : formatExpiry(lock)],
    ["Lease", leaseMs === null ? undefined : formatDuration(leaseMs)],
    ["Permits", permits && `${permits.available} of ${permits.total ?? UNKNOWN} available`],
    ["Waiters", formatWaiters(waiters)],
    [
      "Votes",
      votes &&
        `${votes.owners.map(({ owner, masters }) => `${owner}: ${masters}`).join(", ")} (of ${votes.of} masters, ${votes.known} known)`,
    ],
    ["Liveness", liveness === null ? undefined : formatLiveness(liveness, lock.asOf)],
  ];
}

function formatFormat(format: string, confidence: Lock["confidence"], candidates: readonly string[]): string {
  const others = candidates.length === 0 ? "" : `, or ${candidates.join(", ")}`;
  return `${format} (${confidence ?? "possible"}${others})`;
}

function formatLiveness(liveness: Liveness, asOf: number): string {
  const { state, lastRenewalAt, nextRenewalExpectedAt, missedRenewals, renewalIntervalMs } = liveness;
  const facts = [
    lastRenewalAt === null ? undefined : `renewed ${formatDuration(Math.max(0, asOf - lastRenewalAt))} ago`,
    renewalIntervalMs === null ? undefined : `renews every ${formatDuration(renewalIntervalMs)}`,
    state === "overdue" && nextRenewalExpectedAt !== null
      ? `overdue by ${formatDuration(Math.max(0, asOf - nextRenewalExpectedAt))}`
      : undefined,
    missedRenewals > 0 ? `${missedRenewals} missed` : undefined,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? state : `${state} (${facts.join(", ")})`;
}

function listHolderPairs(holder: Holder, { kind, asOf }: Pick<Lock, "kind" | "asOf">): Pair[] {
  const { owner, role, count, fence, holdId, record, since, remainingMs, releaseRequested } = holder;
  const held = formatHeld(holder, asOf);
  return [
    ["Owner", owner],
    ["Application", record && formatRecord(record)],
    ["Role", role],
    [kind === "semaphore" ? "Permits held" : "Count", String(count)],
    ["Held", held === UNKNOWN || since === null ? held : `${held} (since ${new Date(since).toISOString()})`],
    ["Hold expires", remainingMs === null ? "no TTL" : formatDuration(remainingMs)],
    ["Release request", releaseRequested && formatReleaseRequest(releaseRequested, asOf)],
    ["Fencing token", fence ?? "none"],
    ["Hold id", holdId ?? undefined],
    ["Holder version", holder.version],
  ];
}

function formatReleaseRequest(request: ReleaseRequest, asOf: number): string {
  const { requestedBy, requestedAt, reason, state, answerText } = request;
  const asked = `${requestedBy}, ${formatDuration(Math.max(0, asOf - requestedAt))} ago: ${reason}`;
  if (state === "requested") return `${asked} (not answered)`;
  return `${asked} (${state}${answerText === null ? "" : `: ${answerText}`})`;
}

function formatRecord({ service, host, pid, purpose, trace, session }: OwnerRecord): string | undefined {
  const texts = [
    service,
    host === undefined ? undefined : `on ${host}`,
    pid === undefined ? undefined : `pid ${pid}`,
    purpose === undefined ? undefined : `purpose: ${purpose}`,
    trace === undefined ? undefined : `trace ${trace}`,
    session === undefined ? undefined : `session ${session}`,
  ].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join(", ");
}

function listClosingPairs({ sharedWith, note, runbook, release, version, asOf }: Lock): Pair[] {
  return [
    ["Same token as", sharedWith.length === 0 ? undefined : sharedWith.map(({ key }) => key).join(", ")],
    ["Note", note && `${note.text} (${note.by}, ${new Date(note.at).toISOString()})`],
    ["Runbook", runbook],
    ["Release", release === null || release.may === "yes" ? undefined : formatRelease(release)],
    ["Version", version ?? undefined],
    ["As of", new Date(asOf).toISOString()],
  ];
}

function formatRelease({ may, formats, why, instead }: NonNullable<Lock["release"]>): string {
  const need = may === "never" ? "not possible" : `needs --format ${formats.join(" or ")}`;
  return [need, why, instead].filter((text) => text !== undefined).join(". ");
}
