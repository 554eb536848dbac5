import { setImmediate as afterIo } from "node:timers/promises";
import { EXPORT_LOCKS_MAX } from "../../../lib/contract/limits.ts";
import { ExportLocksQuery } from "../../../lib/contract/list.ts";
import { Lock } from "../../../lib/contract/lock.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import { parseSortOrder } from "../../watch/index/query-context.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { CpuBudget } from "../http/cpu-budgets.ts";
import { LINE_STREAM_HEADERS, LineStream, NDJSON_TYPE } from "../http/line-stream.ts";
import { formatLockCsvRow, LOCK_CSV_HEADER } from "../http/lock-csv.ts";
import { HELD_LOCK, LOCKS_CSV } from "../openapi/examples/locks.ts";
import { assertConnected } from "../routing/assert-connected.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const CSV_TYPE = "text/csv";
/** Number of locks that are written before the export yields to the event loop. */
const LOCKS_PER_CHUNK = 200;

/**
 * Creates the route that exports locks. Its path is not `/locks/export`, because that is the path of the lock with the
 * key `export`.
 */
export function createExportRoutes({ streams }: Services): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/export/locks",
      operationId: "exportLocks",
      tag: "Locks",
      access: "read",
      filtersByGrant: true,
      expensive: true,
      summary: "Export locks",
      description: `Exports a snapshot of the locks that match a filter as a file, in the order of \`sort\`; at most ${EXPORT_LOCKS_MAX.toLocaleString("en")}. If there are more, the last line reports it. In CSV, cells that a spreadsheet would run as a formula start with an apostrophe, and invisible characters are escaped.`,
      query: ExportLocksQuery,
      response: {
        status: 200,
        schema: Lock,
        example: HELD_LOCK,
        mediaType: NDJSON_TYPE,
        texts: { [CSV_TYPE]: LOCKS_CSV },
        headers: {
          "x-total-count": { description: "Number of locks that match the filter.", example: "12840" },
        },
        description: "One line per lock.",
      },
      errors: ["too_many_streams"],
      handle: async ({ target: { watcher, name }, query, principal, isStillAuthorized, cpu }) => {
        assertConnected(watcher);
        const allowedKeys = getAllowedKeys(principal, "read", name);
        const order = parseSortOrder(query.sort);
        await watcher.index.prepareQuery(query.filter, order, allowedKeys, cpu);
        streams.assertCapacity(principal.id);
        const { holds, total } = watcher.index.queryPage(
          query.filter,
          order,
          { offset: 0 },
          EXPORT_LOCKS_MAX,
          allowedKeys,
        );
        return {
          status: 200,
          headers: { ...buildExportHeaders(query.format, name), "x-total-count": String(total) },
          body: (sink) => {
            const lines = new LineStream(sink);
            streams.register(lines.guardedSink, principal.id, isStillAuthorized, "");
            const file = streamFile(watcher, { holds, total, cpu }, query.format, allowedKeys);
            void lines.writeChunks(file, "Lockkeeper failed; the server's log has the cause");
          },
        };
      },
    }),
  ];
}

interface ExportedLocks {
  readonly holds: readonly ObservedHold[];
  readonly total: number;
  readonly cpu: CpuBudget;
}

async function* streamFile(
  watcher: Watcher,
  { holds, total, cpu }: ExportedLocks,
  format: ExportLocksQuery["format"],
  allowedKeys: KeyPatternSet | undefined,
): AsyncGenerator<string> {
  const lineOf = format === "csv" ? formatLockCsvRow : (lock: Lock) => `${JSON.stringify(lock)}\n`;
  if (format === "csv") yield LOCK_CSV_HEADER;
  for (let at = 0; at < holds.length; at += LOCKS_PER_CHUNK) {
    await afterIo();
    const chunk = holds.slice(at, at + LOCKS_PER_CHUNK);
    const toLine = (hold: ObservedHold) =>
      lineOf(watcher.locks.toLock(hold, watcher.locks.findKeysSharingToken(hold, allowedKeys)));
    yield cpu.run(() => chunk.map(toLine).join(""));
  }
  if (holds.length === total) return;
  yield `This export ended early: it has the first ${holds.length} of ${total} locks. Narrow the filter.\n`;
}

function buildExportHeaders(format: ExportLocksQuery["format"], target: string): Record<string, string> {
  const type = format === "csv" ? CSV_TYPE : NDJSON_TYPE;
  const name = target.replace(/[^\w.-]+/g, "-");
  return {
    ...LINE_STREAM_HEADERS,
    "content-type": `${type}; charset=utf-8`,
    "content-disposition": `attachment; filename="lockkeeper-locks-${name}.${format}"`,
  };
}
