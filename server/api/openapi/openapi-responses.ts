import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "../../../lib/contract/error.ts";
import {
  createProblemExample,
  createProblemSchema,
  getProblemSchemaName,
  hasRetryAfter,
  PROBLEM_OF_CODE,
} from "../../../lib/contract/problems/problem-catalogue.ts";
import type { StreamMessage, SuccessResponse } from "../routing/route.ts";

const COMMON_HEADERS = {
  "x-request-id": createHeader(
    "Identifies the request in the server log and in the audit log.",
    "5f3a91c2-17",
  ),
};

const ETAG = {
  ETag: createHeader("Version of the response, for `If-None-Match`.", 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
};
const LIMITS = {
  "RateLimit-Policy": createHeader("Quota (`q`) and window in seconds (`w`).", '"caller";q=400;w=2'),
  RateLimit: createHeader(
    "Requests left (`r`) and seconds until the quota is reset (`t`).",
    '"caller";r=0;t=1',
  ),
};
const RETRY_AFTER = {
  "Retry-After": createHeader("Seconds to wait before a retry.", "1"),
};
const ALLOW = { Allow: createHeader("Methods that this path supports.", "GET") };
const CHALLENGE = {
  "WWW-Authenticate": createHeader("Accepted authentication scheme.", 'Bearer realm="lockkeeper"'),
};

function createHeader(description: string, example: string) {
  return { description, required: false, schema: { type: "string" as const }, example };
}

export const NOT_MODIFIED_RESPONSE: ZodOpenApiResponseObject = {
  description: "Not modified since the response with the `ETag` in `If-None-Match`. No body.",
  headers: { ...COMMON_HEADERS, ...ETAG },
};

/** The problem schema of each code. Each schema is created only once, because the document refers to it by name. */
const problemSchemas = new Map<ErrorCode, ReturnType<typeof createProblemSchema>>();
function getProblemSchema(code: ErrorCode): ReturnType<typeof createProblemSchema> {
  const schema = problemSchemas.get(code) ?? createProblemSchema(code);
  problemSchemas.set(code, schema);
  return schema;
}

export function createSuccessResponse(response: SuccessResponse): ZodOpenApiResponseObject {
  const { description, schema, example, messages, stream, mediaType, texts, etag } = response;
  const own = Object.entries(response.headers ?? {}).map(
    ([name, { description, example }]) => [name, createHeader(description, example)] as const,
  );
  const headers = { ...COMMON_HEADERS, ...(etag ? ETAG : {}), ...Object.fromEntries(own) };
  if (stream) {
    return {
      description,
      headers,
      content: { "text/event-stream": createStreamContent(stream, messages ?? {}) },
    };
  }
  if (schema === undefined) return { description, headers };
  const content = { schema, ...(example === undefined ? {} : { example }) };
  const others = Object.entries(texts ?? {}).map(
    ([type, example]) => [type, { schema: { type: "string" as const }, example }] as const,
  );
  return {
    description,
    headers,
    content: { [mediaType ?? "application/json"]: content, ...Object.fromEntries(others) },
  };
}

/**
 * Describes the messages of an event stream, for which OpenAPI 3.1 has no construct. `schema` is the union of the
 * schemas of `data` in all messages. `x-events` contains the schema for each event name.
 */
function createStreamContent(id: string, messages: Readonly<Record<string, StreamMessage>>) {
  const schemas = [...new Set(Object.values(messages).map(({ schema }) => schema))];
  const data = z.union(schemas).meta({
    id,
    description: "JSON in `data` of a server-sent event. `x-events` maps event names to schemas.",
  });
  return {
    schema: data,
    examples: Object.fromEntries(
      Object.entries(messages).map(([name, { description, example }]) => [
        name,
        { summary: description, value: example },
      ]),
    ),
    "x-events": Object.fromEntries(
      Object.entries(messages).map(([name, { description, schema }]) => [
        name,
        { description, schema: { $ref: `#/components/schemas/${getSchemaId(schema)}` } },
      ]),
    ),
  };
}

function getSchemaId(schema: z.ZodType): string {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error("The schema of a stream message has no id.");
  return id;
}

export function createProblemResponses(
  operationId: string,
  codes: readonly ErrorCode[],
): Record<string, ZodOpenApiResponseObject> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes, "internal" as const]) {
    const status = STATUS_OF_CODE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [String(status), createProblemResponse(operationId, status, of)]),
  );
}

function createProblemResponse(
  operationId: string,
  status: number,
  codes: readonly ErrorCode[],
): ZodOpenApiResponseObject {
  const headers = {
    ...COMMON_HEADERS,
    ...(codes.some(hasRetryAfter) ? RETRY_AFTER : {}),
    ...(codes.includes("rate_limited") ? LIMITS : {}),
    ...(status === 401 ? CHALLENGE : {}),
    ...(status === 405 ? ALLOW : {}),
  };
  const examples = codes.map(
    (code) => [code, { summary: TITLE_OF_CODE[code], value: createProblemExample(code) }] as const,
  );
  return {
    description: codes
      .map((code) => `\`${code}\`: ${TITLE_OF_CODE[code]}. ${PROBLEM_OF_CODE[code].remedy}`)
      .join("\n\n"),
    headers,
    content: {
      "application/problem+json": {
        schema: getUnionSchema(operationId, status, codes),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const unionSchemas = new Map<string, z.ZodType>();

/**
 * Returns the union schema for a set of codes. Operations with the same set of up to three codes share a schema,
 * because generators create a type for each schema and name the type after it.
 */
function getUnionSchema(operationId: string, status: number, codes: readonly ErrorCode[]): z.ZodType {
  const [first, ...others] = codes.toSorted();
  if (first === undefined) throw new Error("A status has no code.");
  if (others.length === 0) return getProblemSchema(first);
  const id = formatUnionName(operationId, status, [first, ...others]);
  const union =
    unionSchemas.get(id) ??
    z.discriminatedUnion("code", [getProblemSchema(first), ...others.map(getProblemSchema)]).meta({ id });
  unionSchemas.set(id, union);
  return union;
}

/**
 * Returns a schema name that joins the names of the codes. If there are more than three codes, the name consists of the
 * operation and the status.
 */
function formatUnionName(operationId: string, status: number, codes: readonly ErrorCode[]): string {
  if (codes.length > 3) {
    return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${status}Problem`;
  }
  const names = codes.map((code) => getProblemSchemaName(code).replace(/Problem$/, ""));
  return `${names.join("Or")}Problem`;
}
