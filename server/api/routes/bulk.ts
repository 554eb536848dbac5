import { setImmediate as afterIo } from "node:timers/promises";
import type { Logger } from "pino";
import {
  BULK_BODY_BYTES_MAX,
  BulkForceInput,
  type BulkItem,
  BulkLine,
  type BulkOutcome,
} from "../../../lib/contract/actions/bulk-release.ts";
import type { AuditOutcome } from "../../../lib/contract/audit.ts";
import { keyOfFields } from "../../../lib/keys/key.ts";
import { keysFor } from "../../auth/principal.ts";
import { inOrder, oneByOne } from "../../concurrency/for-each-limited.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { ConfirmRequiredError, ReasonRequiredError } from "../../errors/operator-errors.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { Act, Audit } from "../../history/audit/audit.ts";
import { type BulkAsk, type Done, freeOne, tryFound, tryOne } from "../../operator/bulk-release.ts";
import { finds } from "../../operator/bulk-review.ts";
import { callOf } from "../../stats/verb-call.ts";
import type { Target } from "../../targets/target.ts";
import { LINES_HEADERS, LINES_TYPE, Lines } from "../http/line-stream.ts";
import { problemDocument } from "../http/problem.ts";
import { FREED_LINE } from "../openapi/examples/bulk.ts";
import { auditedCallOf, auditOfError, auditOfFreed, seenOf } from "../routing/auditing.ts";
import { type Route, type TargetCall, targetRoute } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** After so many that were told from memory alone others have their turn. */
const TOLD_AT_ONCE = 100;

const EXAMPLES = {
  "What would be freed of a worker that is gone": { filter: 'owner:="checkout@pod-7:311"', dryRun: true },
  "Free two holds that were looked at": {
    items: [
      { key: "lock:orders:42", expect: "fence.1795216496123456" },
      { key: "lock:orders:43", expect: "token.ud8a2LQp1x0s", format: "redsync" },
    ],
    reason: "pod-7 lost its node",
  },
  "Where the target is of production": {
    items: [{ key: "lock:orders:42", expect: "fence.1795216496123456" }],
    reason: "pod-7 lost its node",
    confirm: "main",
  },
};

type Call = TargetCall<unknown, BulkForceInput>;
type Outcomes = Partial<Record<BulkOutcome, number>>;
type Work = (lines: Lines) => Promise<AuditOutcome>;

/** Several locks in one request. */
export function bulkRoutes(services: Services, log: Logger): Route[] {
  return [
    targetRoute({
      method: "POST",
      path: "/locks/force-release",
      operationId: "forceReleaseLocks",
      tag: "Acting",
      access: "force",
      narrows: true,
      summary: "Free several stuck locks that were looked at, or see what would be freed",
      description:
        'In two steps. First `filter` with `dryRun`: true: each hold that it finds, with its holder, its verdict, what would become of it, and the `item` that frees it. Then `items`: those of them that are to be freed, each compared with its version, authorised and recorded like a single force-release, a few at a time. So nothing is freed that nobody looked at, and what has changed since is told and left alone. The answer is a stream of lines (`application/x-ndjson`): a `head`, an `item` for each as it is done, in any order, a `tally`. Who closes the connection stops what has not begun; each item is freed as a whole or not at all. On a target of production `confirm` is the name of the target. Where a filter names an owner (`owner:="…"`), a service or a host, of a lock that several hold only their part is meant.',
      body: BulkForceInput,
      bodyBytesMax: BULK_BODY_BYTES_MAX,
      examples: EXAMPLES,
      response: {
        status: 200,
        schema: BulkLine,
        example: FREED_LINE,
        mediaType: LINES_TYPE,
        description: "Lines of JSON, each as its item is done.",
      },
      errors: ["reason_required", "confirm_required", "too_many_streams"],
      audit: "by_handler",
      handle: async (call) => {
        const work = workOf(call, services);
        services.streams.assertRoom(call.principal.id);
        const act = await begun(services.audit, call);
        return {
          status: 200,
          headers: LINES_HEADERS,
          onUndelivered: () => act?.end(outcomeOf({}, 0, call.body.items?.length ?? 0)),
          body: (sink) => {
            const lines = new Lines(sink);
            services.streams.guard(lines.stream, call.principal.id, call.mayStill, "");
            work(lines).then(
              (outcome) => act?.end(outcome),
              (error: unknown) => {
                log.error({ err: error }, "a bulk ended by a fault");
                act?.end(auditOfError(error));
                sink.close();
              },
            );
          },
        };
      },
    }),
  ];
}

/** The request as a whole, so that the record says what was not begun of it; its items follow one by one. */
async function begun(audit: Audit, call: Call): Promise<Act | undefined> {
  const { items, dryRun, reason, ifUnsure, holdOffMs } = call.body;
  if (dryRun || items === undefined) return undefined;
  const details = { items: items.length, ifUnsure, holdOffMs };
  return await audit.begin(auditedCallOf(call), { action: "force-release-many", reason, details });
}

/** All that can be refused is refused before the answer begins. @throws LockkeeperError */
function workOf(call: Call, { verbs, audit }: Services): Work {
  const { target, body, principal, request } = call;
  const { filter, items = [], dryRun } = body;
  if (!target.watcher.isUp) throw new UnavailableError("Redis does not answer. Nothing was released.");
  const ask: BulkAsk = { ...body, by: principal.name, within: keysFor(principal, "force", target.name) };
  if (filter !== undefined) return review(call, filter, ask);
  if (dryRun) return (lines) => answer(lines, call, items, (item) => tryOne(target, item, ask));
  assertReason(body);
  assertConfirmed(target, body.confirm);
  const free = async (item: BulkItem) => {
    const verb = callOf("force-release", target.name, keyOfFields(item), item);
    const running = verbs.begin(verb, target.figures, request);
    const done = await recorded(audit, call, item, () => freeOne(target, item, ask));
    running.end({ outcome: done.error instanceof LockkeeperError ? done.error.code : done.outcome });
    return done;
  };
  return (lines) => answer(lines, call, items, free);
}

/** An item is an action of its own: recorded before it is done, and after. */
async function recorded(audit: Audit, call: Call, item: BulkItem, free: () => Promise<Done>): Promise<Done> {
  const { target, body } = call;
  const key = keyOfFields(item);
  try {
    const act = await audit.begin(auditedCallOf(call, key), {
      action: "force-release",
      seen: seenOf(target, key, item.expect),
      reason: body.reason,
      details: { bulk: true, ifUnsure: body.ifUnsure, holdOffMs: body.holdOffMs, format: item.format },
    });
    const done = await free();
    const freed = done.freed === undefined ? {} : auditOfFreed(done.freed);
    act.end(done.error === undefined ? { code: done.outcome, ...freed } : auditOfError(done.error));
    return done;
  } catch (error) {
    return { outcome: "failed", error };
  }
}

function review({ target, body, principal }: Call, filter: string, ask: BulkAsk): Work {
  const asked = { filter, sort: body.sort, most: body.most };
  const seen = finds(target.watcher, asked, keysFor(principal, "read", target.name));
  const call = { target, body };
  const items = seen.finds.map(({ item }) => item);
  return (lines) =>
    answer(
      lines,
      call,
      items,
      async (_item, index) => {
        if (index % TOLD_AT_ONCE === 0) await afterIo();
        const find = seen.finds[index];
        return find === undefined ? { outcome: "failed" } : await tryFound(target, find, ask);
      },
      seen.found,
    );
}

async function answer(
  lines: Lines,
  { target, body: { dryRun } }: Pick<Call, "target" | "body">,
  items: readonly BulkItem[],
  run: (item: BulkItem, index: number) => Promise<Done>,
  found?: number,
): Promise<AuditOutcome> {
  const inTurn = found === undefined ? oneByOne : inOrder;
  const total = items.length;
  const asOf = target.watcher.clock.lastHeard;
  const more = found === undefined ? {} : { found };
  write(lines, { type: "head", target: target.name, dryRun, total, ...more, asOf });
  const outcomes: Outcomes = {};
  const begun = await inTurn(items, lines, async (item, index) => {
    const { error, ...done } = await run(item, index);
    outcomes[done.outcome] = (outcomes[done.outcome] ?? 0) + 1;
    const problem = error === undefined ? {} : { problem: problemDocument(error) };
    write(lines, { type: "item", index, item, ...done, ...problem });
  });
  if (begun === total) write(lines, { type: "tally", total, outcomes });
  lines.end();
  return outcomeOf(outcomes, begun, total);
}

function outcomeOf(outcomes: Outcomes, begun: number, total: number): AuditOutcome {
  const details = { outcomes, begun, notBegun: total - begun };
  return { code: begun === total ? "done" : "cancelled", details };
}

function write(lines: Lines, line: BulkLine): void {
  lines.write(line);
}

/** One reason stands for all of them, so whoever looks back at any wants it. @throws ReasonRequiredError */
function assertReason({ reason }: BulkForceInput): void {
  if (reason.trim() !== "") return;
  throw new ReasonRequiredError(
    "Several locks are to be freed at once: say in `reason` why. Nothing was released.",
  );
}

/** @throws ConfirmRequiredError */
function assertConfirmed({ name, environment }: Target, confirm: string | undefined): void {
  if (environment !== "production" || confirm === name) return;
  const what = confirm === undefined ? "send" : "that is not it: send";
  throw new ConfirmRequiredError(
    `The target is of production, and several locks are to be freed at once: ${what} its name, ${JSON.stringify(name)}, in \`confirm\`. Nothing was released.`,
    { target: name },
  );
}
