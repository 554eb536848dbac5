import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "../../../lib/contract/error.ts";
import {
  createProblemExample,
  createProblemSchema,
  PROBLEM_OF_CODE,
} from "../../../lib/contract/problems/problem-catalogue.ts";
import type { Route, StreamMessage, SuccessResponse } from "../routing/route.ts";

const COMMON_HEADERS = {
  "x-request-id": createHeader("Under this name the server's log has more about the request.", "5f3a91c2-17"),
};

/** Which failures say when to try again. */
const RETRYABLE_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "held",
  "timeout",
  "rate_limited",
  "too_many_waiting",
  "too_many_streams",
  "unavailable",
  "not_replicated",
  "unknown_outcome",
]);
const ETAG = {
  ETag: createHeader("Names this content, for `If-None-Match`.", 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
};
const LIMITS = {
  "RateLimit-Policy": createHeader(
    "How many requests may come at once, and in how many seconds as many more.",
    '"caller";q=400;w=2',
  ),
  RateLimit: createHeader("How many are left, and in how many seconds all of them are.", '"caller";r=0;t=1'),
};
const RETRY_AFTER = {
  "Retry-After": createHeader("Seconds after which a retry is sensible.", "1"),
};
const CHALLENGE = { "WWW-Authenticate": createHeader("What to log in with.", 'Bearer realm="lockkeeper"') };

function createHeader(description: string, example: string) {
  return { description, required: false, schema: { type: "string" as const }, example };
}

export const NOT_MODIFIED_RESPONSE: ZodOpenApiResponseObject = {
  description: "What `If-None-Match` names is still so; no body.",
  headers: { ...COMMON_HEADERS, ...ETAG },
};

/** One schema a code, made once: the document names it. */
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
  if (stream)
    return { description, headers, content: { "text/event-stream": createStreamContent(messages ?? {}) } };
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

/** OpenAPI has no words for the messages of a stream before 3.2: `x-events` says them, by name. */
function createStreamContent(messages: Readonly<Record<string, StreamMessage>>) {
  const shown = Object.entries(messages).map(
    ([name, { example }]) => `event: ${name}\ndata: ${JSON.stringify(example)}\n\n`,
  );
  return {
    schema: { type: "string" as const, description: "Server-sent events; `x-events` says which." },
    example: shown.slice(0, 2).join(""),
    "x-events": Object.fromEntries(
      Object.entries(messages).map(([name, { description, schema, example }]) => [
        name,
        { description, schema: { $ref: `#/components/schemas/${getSchemaId(name, schema)}` }, example },
      ]),
    ),
  };
}

/** The schemas of all messages, which `x-events` refers to by name. */
export function collectMessageSchemas(routes: readonly Route[]): Record<string, z.ZodType> {
  const messages = routes.flatMap(({ response }) => Object.entries(response.messages ?? {}));
  return Object.fromEntries(messages.map(([name, { schema }]) => [getSchemaId(name, schema), schema]));
}

function getSchemaId(name: string, schema: z.ZodType): string {
  return schema.meta()?.id ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}Message`;
}

export function createProblemResponses(
  codes: readonly ErrorCode[],
): Record<string, ZodOpenApiResponseObject> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes, "internal" as const]) {
    const status = STATUS_OF_CODE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [String(status), createProblemResponse(status, of)]),
  );
}

function createProblemResponse(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const headers = {
    ...COMMON_HEADERS,
    ...(codes.some((code) => RETRYABLE_CODES.has(code)) ? RETRY_AFTER : {}),
    ...(codes.includes("rate_limited") ? LIMITS : {}),
    ...(status === 401 ? CHALLENGE : {}),
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
        schema: createUnionSchema(codes),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function createUnionSchema([first, ...others]: readonly ErrorCode[]): z.ZodType {
  if (first === undefined) throw new Error("a status without a code");
  if (others.length === 0) return getProblemSchema(first);
  return z.discriminatedUnion("code", [getProblemSchema(first), ...others.map(getProblemSchema)]);
}
