import { AuditLine, AuditPage, AuditVerification } from "../../../lib/contract/audit.ts";
import { AuditExportQuery, AuditQuery } from "../../../lib/contract/audit-query.ts";
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
/**
 * Time in ms for which the result of a verification is cached. Verifying a chain of 100,000 entries takes about 0.5 s.
 */
const VERIFICATION_CACHE_MS = 10_000;

/**
 * Creates the routes for the audit log. They require admin access to all targets, because the entries of all targets
 * form one chain.
 */
export function createAuditRoutes(services: Services): Route[] {
  const verify = createVerifier(services);
  return [
    defineRoute({
      method: "GET",
      path: "/audit",
      operationId: "listAuditActions",
      tag: "Audit",
      access: "admin",
      summary: "List audited actions",
      description:
        "Returns actions, newest first. Each has its intent, recorded before the action started, and its outcome. An `outcome` of null was not recorded: the action is still running, or the server or its store failed. The first refused login is an entry of its own; those that follow within a minute are counted in one entry.",
      query: AuditQuery,
      response: { status: 200, schema: AuditPage, example: AUDIT_PAGE, description: "A page of actions." },
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
      summary: "Export the audit log",
      description:
        "`jsonl` returns the entries of the chain with their hashes, oldest first and complete between `from` and `to`; verify the file with `lockkeeper audit verify FILE`. `csv` returns the actions that match the filters, newest first. In CSV, cells that a spreadsheet would run as a formula start with an apostrophe, and invisible characters are escaped.",
      query: AuditExportQuery,
      response: {
        status: 200,
        schema: AuditLine,
        example: AUDIT_LINE,
        mediaType: NDJSON_TYPE,
        texts: { [CSV_TYPE]: AUDIT_CSV },
        description: "One line per entry, or in CSV per action.",
      },
      errors: ["too_many_streams", ...HOME_ERRORS],
      handle: async (call) => {
        const { query, principal, isStillAuthorized } = call;
        assertContiguous(query);
        services.streams.assertCapacity(principal.id);
        // Reads from the store before the response starts, so that an unavailable store results in an error instead of
        // an empty file.
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
      summary: "Verify the audit log",
      description:
        "Verifies the hashes of all retained entries; results are cached for 10 s. Anyone who can write to the home store can rewrite the whole chain: store `head` elsewhere and compare it with `lockkeeper audit verify --head HASH`.",
      response: {
        status: 200,
        schema: AuditVerification,
        example: INTACT_AUDIT,
        description: "Result of the verification.",
      },
      errors: HOME_ERRORS,
      handle: async () => createJsonResponse(200, await verify()),
    }),
  ];
}

/** Creates a function that verifies the chain. Concurrent calls share one verification. */
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

/**
 * Asserts that an export of the chain has no filters, because a chain with missing entries cannot be verified.
 *
 * @throws InvalidError
 */
function assertContiguous({ format, from, to, ...filter }: AuditExportQuery): void {
  const named = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (format !== "jsonl" || named.length === 0) return;
  throw new InvalidError(
    `Query: jsonl takes only from and to; leave out ${named.join(", ")}, or use format=csv.`,
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
