import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "../../../lib/contract/error.ts";
import { PROBLEM_OF_CODE, problemExample, problemSchema } from "../../../lib/contract/problem-catalogue.ts";
import type { Route, StreamMessage } from "../routing/route.ts";

const EVERY_ANSWER = {
  "x-request-id": header("Under this name the server's log has more about the request.", "5f3a91c2-17"),
};

/** Which failures say when to try again. */
const RETRIED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "held",
  "timeout",
  "rate_limited",
  "too_many_waiting",
  "too_many_streams",
  "unavailable",
  "not_replicated",
  "unknown_outcome",
]);
const ETAG = { ETag: header("Names this content, for `If-None-Match`.", 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"') };
const LIMITS = {
  "RateLimit-Policy": header(
    "How many requests may come at once, and in how many seconds as many more.",
    '"caller";q=400;w=2',
  ),
  RateLimit: header("How many are left, and in how many seconds all of them are.", '"caller";r=0;t=1'),
};
const RETRY_AFTER = {
  "Retry-After": header("Seconds after which to try again; absent when nobody knows.", "22"),
};
const CHALLENGE = { "WWW-Authenticate": header("What to log in with.", 'Bearer realm="lockkeeper"') };

function header(description: string, example: string) {
  return { description, required: false, schema: { type: "string" as const }, example };
}

export const NOT_MODIFIED: ZodOpenApiResponseObject = {
  description: "What `If-None-Match` names is still so; no body.",
  headers: { ...EVERY_ANSWER, ...ETAG },
};

/** One schema a code, made once: the document names it. */
const schemaOf = new Map<ErrorCode, ReturnType<typeof problemSchema>>();
function schemaOfCode(code: ErrorCode): ReturnType<typeof problemSchema> {
  const schema = schemaOf.get(code) ?? problemSchema(code);
  schemaOf.set(code, schema);
  return schema;
}

export function successOf({ response }: Route): ZodOpenApiResponseObject {
  const { description, schema, example, messages, stream, mediaType, texts, etag } = response;
  const own = Object.entries(response.headers ?? {}).map(
    ([name, { description, example }]) => [name, header(description, example)] as const,
  );
  const headers = { ...EVERY_ANSWER, ...(etag ? ETAG : {}), ...Object.fromEntries(own) };
  if (stream) return { description, headers, content: { "text/event-stream": streamOf(messages ?? {}) } };
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
function streamOf(messages: Readonly<Record<string, StreamMessage>>) {
  const shown = Object.entries(messages).map(
    ([name, { example }]) => `event: ${name}\ndata: ${JSON.stringify(example)}\n\n`,
  );
  return {
    schema: { type: "string" as const, description: "Server-sent events; `x-events` says which." },
    example: shown.slice(0, 2).join(""),
    "x-events": Object.fromEntries(
      Object.entries(messages).map(([name, { description, schema, example }]) => [
        name,
        { description, schema: { $ref: `#/components/schemas/${idOf(name, schema)}` }, example },
      ]),
    ),
  };
}

/** The schemas of all messages, which `x-events` refers to by name. */
export function messageSchemas(routes: readonly Route[]): Record<string, z.ZodType> {
  const messages = routes.flatMap(({ response }) => Object.entries(response.messages ?? {}));
  return Object.fromEntries(messages.map(([name, { schema }]) => [idOf(name, schema), schema]));
}

function idOf(name: string, schema: z.ZodType): string {
  return schema.meta()?.id ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}Message`;
}

export function problemsOf(codes: readonly ErrorCode[]): Record<string, ZodOpenApiResponseObject> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes, "internal" as const]) {
    const status = STATUS_OF_CODE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, of]) => [String(status), problemOf(status, of)]));
}

function problemOf(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const headers = {
    ...EVERY_ANSWER,
    ...(codes.some((code) => RETRIED.has(code)) ? RETRY_AFTER : {}),
    ...(codes.includes("rate_limited") ? LIMITS : {}),
    ...(status === 401 ? CHALLENGE : {}),
  };
  const examples = codes.map(
    (code) => [code, { summary: TITLE_OF_CODE[code], value: problemExample(code) }] as const,
  );
  return {
    description: codes
      .map((code) => `\`${code}\`: ${TITLE_OF_CODE[code]}. ${PROBLEM_OF_CODE[code].remedy}`)
      .join("\n\n"),
    headers,
    content: {
      "application/problem+json": { schema: oneOf(codes), examples: Object.fromEntries(examples) },
    },
  };
}

function oneOf([first, ...others]: readonly ErrorCode[]): z.ZodType {
  if (first === undefined) throw new Error("a status without a code");
  if (others.length === 0) return schemaOfCode(first);
  return z.discriminatedUnion("code", [schemaOfCode(first), ...others.map(schemaOfCode)]);
}
