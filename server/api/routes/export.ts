import { setImmediate as afterIo } from "node:timers/promises";
import { EXPORT_LOCKS_MAX } from "../../../lib/contract/limits.ts";
import { ExportLocksQuery } from "../../../lib/contract/list.ts";
import { Lock } from "../../../lib/contract/lock.ts";
import { keysFor } from "../../auth/principal.ts";
import type { KeyRange } from "../../redis/glob.ts";
import type { Hold } from "../../watch/holds/observed-hold.ts";
import { orderOf } from "../../watch/index/query-cache.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { LINES_HEADERS, LINES_TYPE, Lines } from "../http/line-stream.ts";
import { LOCK_CSV_HEAD, lockCsvLineOf } from "../http/lock-csv.ts";
import { HELD_LOCK, LOCKS_CSV } from "../openapi/examples/locks.ts";
import { assertUp } from "../routing/assert-connected.ts";
import { type Route, targetRoute } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const CSV_TYPE = "text/csv";
/** Written in one go; then others have their turn. */
const SHARE = 200;

/**
 * All that a search finds, as a file. Its address is not below `/locks/`, where it would take the place of the lock
 * whose key is `export`.
 */
export function exportRoutes({ streams }: Services): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/export/locks",
      operationId: "exportLocks",
      tag: "Looking",
      access: "read",
      narrows: true,
      summary: "All locks that a filter finds, as a file",
      description: `As they were known at one moment, in the order of the list; ${EXPORT_LOCKS_MAX} at most, and then the last line says so. In CSV, cells that a spreadsheet would run as a formula begin with an apostrophe, and characters that cannot be seen are written out.`,
      query: ExportLocksQuery,
      response: {
        status: 200,
        schema: Lock,
        example: HELD_LOCK,
        mediaType: LINES_TYPE,
        texts: { [CSV_TYPE]: LOCKS_CSV },
        headers: {
          "x-total-count": { description: "How many locks the filter finds in all.", example: "12840" },
        },
        description: "A line a lock.",
      },
      errors: ["too_many_streams"],
      handle: ({ target: { watcher, name }, query, principal, mayStill }) => {
        assertUp(watcher);
        streams.assertRoom(principal.id);
        const within = keysFor(principal, "read", name);
        const order = orderOf(query.sort);
        const { holds, total } = watcher.mirror.page(
          query.filter,
          order,
          { offset: 0 },
          EXPORT_LOCKS_MAX,
          within,
        );
        return {
          status: 200,
          headers: { ...headersOf(query.format, name), "x-total-count": String(total) },
          body: (sink) => {
            const lines = new Lines(sink);
            streams.guard(lines.stream, principal.id, mayStill, "");
            const file = fileOf(watcher, { holds, total }, query.format, within);
            void lines.writeAll(file, "something went wrong on our side");
          },
        };
      },
    }),
  ];
}

async function* fileOf(
  watcher: Watcher,
  { holds, total }: { readonly holds: readonly Hold[]; readonly total: number },
  format: ExportLocksQuery["format"],
  within: KeyRange | undefined,
): AsyncGenerator<string> {
  const lineOf = format === "csv" ? lockCsvLineOf : (lock: Lock) => `${JSON.stringify(lock)}\n`;
  if (format === "csv") yield LOCK_CSV_HEAD;
  for (let at = 0; at < holds.length; at += SHARE) {
    await afterIo();
    yield holds
      .slice(at, at + SHARE)
      .map((hold) => lineOf(watcher.lockOf(hold, watcher.sharedWith(hold, within))))
      .join("");
  }
  if (holds.length === total) return;
  yield `This export ended early: it has the first ${holds.length} of ${total} locks. Narrow the filter.\n`;
}

function headersOf(format: ExportLocksQuery["format"], target: string): Record<string, string> {
  const type = format === "csv" ? CSV_TYPE : LINES_TYPE;
  const name = target.replace(/[^\w.-]+/g, "-");
  return {
    ...LINES_HEADERS,
    "content-type": `${type}; charset=utf-8`,
    "content-disposition": `attachment; filename="lockkeeper-locks-${name}.${format}"`,
  };
}
