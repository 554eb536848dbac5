import {
  AuditExportQuery,
  AuditLine,
  AuditPage,
  AuditQuery,
  AuditVerification,
} from "../../../lib/contract/audit.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import { lineOf } from "../../history/audit/audit-chain.ts";
import { CSV_HEAD, csvLineOf } from "../../history/audit/audit-csv.ts";
import { AuditReader } from "../../history/audit/audit-reader.ts";
import { checkStore, verificationOf } from "../../history/audit/verify-chain.ts";
import { json } from "../http/http-exchange.ts";
import { LINES_HEADERS, LINES_TYPE, Lines } from "../http/line-stream.ts";
import { AUDIT_CSV, AUDIT_LINE, AUDIT_PAGE, AUDIT_WHOLE } from "../openapi/examples/audit.ts";
import { HOME_ERRORS, type Route, route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const CSV_TYPE = "text/csv";
/** A chain of a hundred thousand entries takes some half a second to check. */
const BELIEVED_MS = 10_000;

/** Who did what. For administrators of everything: the audit is one chain for all targets, and not cut in pieces. */
export function auditRoutes(services: Services): Route[] {
  const verify = verifying(services);
  return [
    route({
      method: "GET",
      path: "/audit",
      operationId: "listAudit",
      tag: "Administration",
      access: "admin",
      summary: "Who did what, newest first",
      description:
        "Each action with its intent, which was written before anything was done, and its outcome, which was written after it. An outcome of null is not recorded: the action is still going on, or the server ended or lost its store in between. Logins that were refused are counted, an entry a minute.",
      query: AuditQuery,
      response: { status: 200, schema: AuditPage, example: AUDIT_PAGE, description: "One page." },
      errors: HOME_ERRORS,
      handle: async ({ query }) => json(200, await new AuditReader(services.auditStore).page(query)),
    }),
    route({
      method: "GET",
      path: "/audit/export",
      operationId: "exportAudit",
      tag: "Administration",
      access: "admin",
      summary: "The audit as a file",
      description:
        "As JSON lines: the entries of the chain with their hashes, oldest first, whole between `from` and `to`; `npm run audit:verify -- FILE` checks it anywhere. As CSV: the actions that the filters want, newest first; cells that a spreadsheet would run as a formula begin with an apostrophe, and characters that cannot be seen are written out.",
      query: AuditExportQuery,
      response: {
        status: 200,
        schema: AuditLine,
        example: AUDIT_LINE,
        mediaType: LINES_TYPE,
        texts: { [CSV_TYPE]: AUDIT_CSV },
        description: "A line an entry, or an action.",
      },
      errors: ["too_many_streams", ...HOME_ERRORS],
      handle: async (call) => {
        const { query, principal, mayStill } = call;
        assertContiguous(query);
        services.streams.assertRoom(principal.id);
        // What cannot be read at all is an error, and no empty file.
        await services.auditStore.end();
        const { format, ...filter } = query;
        const chunks = format === "csv" ? csvOf(services, filter) : linesOf(services, filter);
        return {
          status: 200,
          headers: headersOf(format),
          body: (sink) => {
            const lines = new Lines(sink);
            services.streams.guard(lines.stream, principal.id, mayStill, "");
            void lines.writeAll(chunks);
          },
        };
      },
    }),
    route({
      method: "GET",
      path: "/audit/verify",
      operationId: "verifyAudit",
      tag: "Administration",
      access: "admin",
      summary: "Whether the chain is whole",
      description:
        "Goes along all entries that are kept, at most once in ten seconds. Whoever can write to the home store can write the whole chain anew: note `head` elsewhere, and compare with `npm run audit:verify -- --head HASH`.",
      response: {
        status: 200,
        schema: AuditVerification,
        example: AUDIT_WHOLE,
        description: "The first place that does not fit, if there is one.",
      },
      errors: HOME_ERRORS,
      handle: async () => json(200, await verify()),
    }),
  ];
}

/** One at a time, whoever asks. */
function verifying({ auditStore }: Services): () => Promise<AuditVerification> {
  let found: { readonly at: number; readonly answer: Promise<AuditVerification> } | undefined;
  return () => {
    if (found !== undefined && performance.now() < found.at + BELIEVED_MS) return found.answer;
    const answer = checkStore(auditStore).then(verificationOf);
    found = { at: performance.now(), answer };
    answer.catch(() => {
      found = undefined;
    });
    return answer;
  };
}

/** A chain with entries left out proves nothing. @throws InvalidError */
function assertContiguous({ format, from, to, ...filter }: AuditExportQuery): void {
  const named = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (format !== "jsonl" || named.length === 0) return;
  throw new InvalidError(
    `Query: jsonl is the chain as it is, whole between from and to; leave out ${named.join(", ")}, or take format=csv.`,
    { field: named[0] ?? "" },
  );
}

function headersOf(format: AuditExportQuery["format"]): Record<string, string> {
  const type = format === "csv" ? CSV_TYPE : LINES_TYPE;
  return {
    ...LINES_HEADERS,
    "content-type": `${type}; charset=utf-8`,
    "content-disposition": `attachment; filename="lockkeeper-audit.${format}"`,
  };
}

type Filter = Omit<AuditExportQuery, "format">;

async function* linesOf({ auditStore }: Services, { from, to }: Filter): AsyncGenerator<string> {
  for await (const links of new AuditReader(auditStore).chain(from, to)) yield links.map(lineOf).join("");
}

async function* csvOf({ auditStore }: Services, filter: Filter): AsyncGenerator<string> {
  yield CSV_HEAD;
  for await (const items of new AuditReader(auditStore).pages(filter)) yield items.map(csvLineOf).join("");
}
