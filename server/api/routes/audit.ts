import {
  AuditExportQuery,
  AuditLine,
  AuditPage,
  AuditQuery,
  AuditVerification,
} from "../../../lib/contract/audit.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import { formatExportLine } from "../../history/audit/audit-chain.ts";
import { AUDIT_CSV_HEADER, formatAuditCsvLine } from "../../history/audit/audit-csv.ts";
import { AuditReader } from "../../history/audit/audit-reader.ts";
import { toAuditVerification, verifyStoredChain } from "../../history/audit/verify-chain.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { LINE_STREAM_HEADERS, LineStream, NDJSON_TYPE } from "../http/line-stream.ts";
import { AUDIT_CSV, AUDIT_LINE, AUDIT_PAGE, INTACT_AUDIT } from "../openapi/examples/audit.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const CSV_TYPE = "text/csv";
/** A chain of a hundred thousand entries takes some half a second to check. */
const VERIFICATION_CACHE_MS = 10_000;

/** Who did what. For administrators of everything: the audit is one chain for all targets, and not cut in pieces. */
export function createAuditRoutes(services: Services): Route[] {
  const verify = createVerifier(services);
  return [
    defineRoute({
      method: "GET",
      path: "/audit",
      operationId: "listAuditActions",
      tag: "Audit",
      access: "admin",
      summary: "Who did what, newest first",
      description:
        "Each action with its intent, which was written before anything was done, and its outcome, which was written after it. An outcome of null is not recorded: the action is still going on, or the server ended or lost its store in between. Logins that were refused are counted, an entry a minute.",
      query: AuditQuery,
      response: { status: 200, schema: AuditPage, example: AUDIT_PAGE, description: "One page." },
      errors: HOME_ERRORS,
      handle: async ({ query }) =>
        createJsonResponse(200, await new AuditReader(services.auditStore).readPage(query)),
    }),
    defineRoute({
      method: "GET",
      path: "/audit/export",
      operationId: "exportAuditLog",
      tag: "Audit",
      access: "admin",
      summary: "The audit as a file",
      description:
        "As JSON lines: the entries of the chain with their hashes, oldest first, whole between `from` and `to`; `npm run audit:verify -- FILE` checks it anywhere. As CSV: the actions that the filters want, newest first; cells that a spreadsheet would run as a formula begin with an apostrophe, and characters that cannot be seen are written out.",
      query: AuditExportQuery,
      response: {
        status: 200,
        schema: AuditLine,
        example: AUDIT_LINE,
        mediaType: NDJSON_TYPE,
        texts: { [CSV_TYPE]: AUDIT_CSV },
        description: "A line an entry, or an action.",
      },
      errors: ["too_many_streams", ...HOME_ERRORS],
      handle: async (call) => {
        const { query, principal, isStillAuthorized } = call;
        assertContiguous(query);
        services.streams.assertCapacity(principal.id);
        // What cannot be read at all is an error, and no empty file.
        await services.auditStore.readEnd();
        const { format, ...filter } = query;
        const chunks = format === "csv" ? streamCsv(services, filter) : streamChainLines(services, filter);
        return {
          status: 200,
          headers: buildExportHeaders(format),
          body: (sink) => {
            const lines = new LineStream(sink);
            services.streams.register(lines.guardedSink, principal.id, isStillAuthorized, "");
            void lines.writeChunks(chunks);
          },
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/audit/verify",
      operationId: "verifyAuditLog",
      tag: "Audit",
      access: "admin",
      summary: "Whether the chain is whole",
      description:
        "Goes along all entries that are kept, at most once in ten seconds. Whoever can write to the home store can write the whole chain anew: note `head` elsewhere, and compare with `npm run audit:verify -- --head HASH`.",
      response: {
        status: 200,
        schema: AuditVerification,
        example: INTACT_AUDIT,
        description: "The first place that does not fit, if there is one.",
      },
      errors: HOME_ERRORS,
      handle: async () => createJsonResponse(200, await verify()),
    }),
  ];
}

/** One at a time, whoever asks. */
function createVerifier({ auditStore }: Services): () => Promise<AuditVerification> {
  let found: { readonly at: number; readonly answer: Promise<AuditVerification> } | undefined;
  return () => {
    if (found !== undefined && performance.now() < found.at + VERIFICATION_CACHE_MS) return found.answer;
    const answer = verifyStoredChain(auditStore).then(toAuditVerification);
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

function buildExportHeaders(format: AuditExportQuery["format"]): Record<string, string> {
  const type = format === "csv" ? CSV_TYPE : NDJSON_TYPE;
  return {
    ...LINE_STREAM_HEADERS,
    "content-type": `${type}; charset=utf-8`,
    "content-disposition": `attachment; filename="lockkeeper-audit.${format}"`,
  };
}

type ExportFilter = Omit<AuditExportQuery, "format">;

async function* streamChainLines(
  { auditStore }: Services,
  { from, to }: ExportFilter,
): AsyncGenerator<string> {
  for await (const links of new AuditReader(auditStore).iterateChain(from, to))
    yield links.map(formatExportLine).join("");
}

async function* streamCsv({ auditStore }: Services, filter: ExportFilter): AsyncGenerator<string> {
  yield AUDIT_CSV_HEADER;
  for await (const items of new AuditReader(auditStore).iteratePages(filter))
    yield items.map(formatAuditCsvLine).join("");
}
