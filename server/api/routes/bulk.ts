import { setImmediate as afterIo } from "node:timers/promises";
import type { Logger } from "pino";
import {
  BULK_BODY_BYTES_MAX,
  BulkForceReleaseInput,
  type BulkItem,
  BulkLine,
  type BulkOutcome,
} from "../../../lib/contract/actions/bulk-release.ts";
import type { AuditOutcome } from "../../../lib/contract/audit.ts";
import { parseKeyFields } from "../../../lib/keys/key.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { forEachInOrder, forEachLimited } from "../../concurrency/for-each-limited.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { ConfirmRequiredError, ReasonRequiredError } from "../../errors/operator-errors.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { Audit, AuditedAction } from "../../history/audit/audit.ts";
import {
  type BulkReleaseArgs,
  forceReleaseItem,
  type ItemResult,
  previewFoundHold,
  previewItem,
} from "../../operator/bulk-release.ts";
import { findMatchingHolds } from "../../operator/bulk-review.ts";
import { toVerbCall } from "../../stats/verb-call.ts";
import type { Target } from "../../targets/target.ts";
import { LINE_STREAM_HEADERS, LineStream, NDJSON_TYPE } from "../http/line-stream.ts";
import { toProblem } from "../http/problem.ts";
import type { RateLimits } from "../http/rate-limits.ts";
import { BULK_RELEASED_LINE } from "../openapi/examples/bulk.ts";
import {
  toAuditErrorOutcome,
  toAuditedCall,
  toAuditReleaseOutcome,
  toAuditSeen,
} from "../routing/auditing.ts";
import { defineTargetRoute, type Route, type TargetCall } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Number of items that are reviewed before the task yields to the event loop. Reviews read only from memory. */
const REVIEWED_AT_ONCE = 100;

const EXAMPLES = {
  "Review the locks of a lost worker": { filter: 'owner:="checkout@pod-7:311"', dryRun: true },
  "Release two holds": {
    items: [
      { key: "lock:orders:42", expectedVersion: "fence.1795216496123456" },
      { key: "lock:orders:43", expectedVersion: "token.ud8a2LQp1x0s", format: "redsync" },
    ],
    reason: "pod-7 lost its node",
  },
  "Release a hold on a production target": {
    items: [{ key: "lock:orders:42", expectedVersion: "fence.1795216496123456" }],
    reason: "pod-7 lost its node",
    confirm: "main",
  },
};

type BulkCall = TargetCall<unknown, BulkForceReleaseInput>;
type OutcomeCounts = Partial<Record<BulkOutcome, number>>;
type BulkWork = (output: ResultOutput) => Promise<AuditOutcome>;

/** The stream to which results are written, and the base path of the problem URLs in them. */
interface ResultOutput {
  readonly lines: LineStream;
  readonly basePath: string;
}

/** Creates the route that force-releases several locks in one request, or lists them for review (`dryRun`). */
export function createBulkRoutes(services: Services, log: Logger, basePath: string): Route[] {
  return [
    defineTargetRoute({
      method: "POST",
      path: "/locks/force-release",
      operationId: "forceReleaseLocks",
      tag: "Locks",
      access: "force",
      filtersByGrant: true,
      summary: "Force-release several locks",
      description:
        "Releases several holds. Each is compared with its version, authorized and recorded like a single force-release. First send `filter` with `dryRun`: true to review the matching holds, each with the `item` that releases it; then send the `items` to release. The response is a stream of lines (`application/x-ndjson`): a `head`, one `item` per completed item in any order, and a `tally`. If you disconnect, items that have not started are skipped.",
      body: BulkForceReleaseInput,
      bodyBytesMax: BULK_BODY_BYTES_MAX,
      examples: EXAMPLES,
      response: {
        status: 200,
        schema: BulkLine,
        example: BULK_RELEASED_LINE,
        mediaType: NDJSON_TYPE,
        description: "Lines of JSON, written as items are completed.",
      },
      errors: ["reason_required", "confirm_required", "too_many_streams"],
      audit: "by_handler",
      handle: async (call) => {
        const work = await createWork(call, services);
        services.streams.assertCapacity(call.principal.id);
        const act = await beginAudit(services.audit, call);
        return {
          status: 200,
          headers: LINE_STREAM_HEADERS,
          onUndelivered: () => act?.end(toAuditOutcome({}, 0, call.body.items?.length ?? 0)),
          body: (sink) => {
            const lines = new LineStream(sink);
            services.streams.register(lines.guardedSink, call.principal.id, call.isStillAuthorized, "");
            work({ lines, basePath }).then(
              (outcome) => act?.end(outcome),
              (error: unknown) => {
                log.error({ err: error }, "bulk force-release failed");
                act?.end(toAuditErrorOutcome(error));
                sink.close();
              },
            );
          },
        };
      },
    }),
  ];
}

/**
 * Records the intent of the whole request in the audit log, so that the log shows how many items were not started. Each
 * item also has its own record. Returns `undefined` for a review or dry run, which is not recorded.
 */
async function beginAudit(audit: Audit, call: BulkCall): Promise<AuditedAction | undefined> {
  const { items, dryRun, reason, onUnverified, reservedMs } = call.body;
  if (dryRun || items === undefined) return undefined;
  const details = { items: items.length, onUnverified, reservedMs };
  return await audit.beginAction(toAuditedCall(call), { action: "bulk_force_release", reason, details });
}

/**
 * Checks the request and returns a function that processes the items. All checks that can refuse the whole request
 * happen here, before the response starts.
 *
 * @throws LockkeeperError
 */
async function createWork(call: BulkCall, { verbs, audit, limits }: Services): Promise<BulkWork> {
  const { target, body, principal, request } = call;
  const { filter, items = [], dryRun } = body;
  if (!target.watcher.isUp) throw new UnavailableError("Redis is not responding. Nothing was released.");
  const args: BulkReleaseArgs = {
    ...body,
    by: principal.name,
    allowedKeys: getAllowedKeys(principal, "force", target.name),
  };
  if (filter !== undefined) return createReview(call, filter, args, limits);
  if (dryRun)
    return (output) => streamResults(output, call, items, (item) => previewItem(target, item, args));
  assertReason(body);
  assertConfirmed(target, body.confirm);
  const release = async (item: BulkItem) => {
    const verb = toVerbCall("force_release", target.name, parseKeyFields(item), item);
    const running = verbs.startVerb(verb, target.stats, request);
    const done = await runRecorded(audit, call, item, () => forceReleaseItem(target, item, args));
    running.end({ outcome: done.error instanceof LockkeeperError ? done.error.code : done.outcome });
    return done;
  };
  return (output) => streamResults(output, call, items, release);
}

/** Releases one item, with its intent recorded before the release and its outcome after it. Never throws. */
async function runRecorded(
  audit: Audit,
  call: BulkCall,
  item: BulkItem,
  release: () => Promise<ItemResult>,
): Promise<ItemResult> {
  const { target, body } = call;
  const key = parseKeyFields(item);
  try {
    const act = await audit.beginAction(toAuditedCall(call, key), {
      action: "force_release",
      seen: toAuditSeen(target, key, item.expectedVersion),
      reason: body.reason,
      details: {
        bulk: true,
        onUnverified: body.onUnverified,
        reservedMs: body.reservedMs,
        format: item.format,
      },
    });
    const done = await release();
    const outcome = done.result === undefined ? {} : toAuditReleaseOutcome(done.result);
    act.end(done.error === undefined ? { code: done.outcome, ...outcome } : toAuditErrorOutcome(done.error));
    return done;
  } catch (error) {
    return { outcome: "failed", error };
  }
}

async function createReview(
  { target, body, principal }: BulkCall,
  filter: string,
  args: BulkReleaseArgs,
  limits: RateLimits,
): Promise<BulkWork> {
  const requested = { filter, sort: body.sort, limit: body.limit };
  const allowedKeys = getAllowedKeys(principal, "read", target.name);
  const owner = limits.readCpu.getBudget(principal.id);
  const seen = await findMatchingHolds(target.watcher, requested, allowedKeys, owner);
  const call = { target, body };
  const items = seen.finds.map(({ item }) => item);
  return (output) =>
    streamResults(
      output,
      call,
      items,
      async (_item, index) => {
        if (index % REVIEWED_AT_ONCE === 0) await afterIo();
        const find = seen.finds[index];
        return find === undefined ? { outcome: "failed" } : await previewFoundHold(target, find, args);
      },
      seen.found,
    );
}

async function streamResults(
  { lines, basePath }: ResultOutput,
  { target, body: { dryRun } }: Pick<BulkCall, "target" | "body">,
  items: readonly BulkItem[],
  run: (item: BulkItem, index: number) => Promise<ItemResult>,
  found?: number,
): Promise<AuditOutcome> {
  const inTurn = found === undefined ? forEachLimited : forEachInOrder;
  const total = items.length;
  const asOf = target.watcher.asOf;
  const more = found === undefined ? {} : { found };
  writeLine(lines, { type: "head", target: target.name, dryRun, total, ...more, asOf });
  const outcomes: OutcomeCounts = {};
  const begun = await inTurn(items, lines, async (item, index) => {
    const { error, ...done } = await run(item, index);
    outcomes[done.outcome] = (outcomes[done.outcome] ?? 0) + 1;
    const problem = error === undefined ? {} : { problem: toProblem(error, basePath) };
    writeLine(lines, { type: "item", index, item, ...done, ...problem });
  });
  if (begun === total) writeLine(lines, { type: "tally", total, outcomes });
  lines.end();
  return toAuditOutcome(outcomes, begun, total);
}

function toAuditOutcome(outcomes: OutcomeCounts, begun: number, total: number): AuditOutcome {
  const details = { outcomes, begun, notBegun: total - begun };
  return { code: begun === total ? "done" : "cancelled", details };
}

function writeLine(lines: LineStream, line: BulkLine): void {
  lines.write(line);
}

/** @throws ReasonRequiredError */
function assertReason({ reason }: BulkForceReleaseInput): void {
  if (reason.trim() !== "") return;
  throw new ReasonRequiredError("The request releases several locks. Send a `reason`. Nothing was released.");
}

/** @throws ConfirmRequiredError */
function assertConfirmed({ name, environment }: Target, confirm: string | undefined): void {
  if (environment !== "production" || confirm === name) return;
  throw new ConfirmRequiredError(
    `The request releases several locks of a production target. Send its name, ${JSON.stringify(name)}, in \`confirm\`. Nothing was released.`,
    { target: name },
  );
}
