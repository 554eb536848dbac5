import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { type ErrorCode, Problem, STATUS_OF_CODE, TITLE_OF_CODE } from "../../lib/contract/error.ts";
import { LockEvent } from "../../lib/contract/event.ts";
import { TargetQuery } from "../../lib/contract/target.ts";
import type { Route } from "./route.ts";

const KEY = z.string().meta({
  description:
    "The key, percent-encoded (slashes as %2F), or `~` and the base64url of its bytes. The second form is needed for `.`, `..`, keys with `//`, with a slash at either end, with a leading `~`, and for bytes that are not UTF-8.",
  example: "lock%3Aorders%3A42",
});

const TARGET_NAME = z.string().meta({ description: "The name of a target.", example: "default" });

/** The OpenAPI 3.1 document, made from the same declarations that answer requests. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = `/api/v1${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "Lockkeeper",
      version: "1",
      description:
        "Locks in Redis: acquire, renew, release, look and free. A lease can be held twice after a long pause or a failover: protect what must not be written twice with the fence.",
      license: { name: "MIT" },
    },
    security: [{ key: [] }, { session: [] }],
    paths,
    components: {
      schemas: { LockEvent },
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "lockkeeper_PORT",
          description: "A browser's session.",
        },
      },
    },
  });
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const query = queryOf(route);
  const parameters = {
    ...(route.path.includes("{key}") ? { path: z.object({ key: KEY }) } : {}),
    ...(route.path.includes("{id}") ? { path: z.object({ id: z.string() }) } : {}),
    ...(route.path.includes("{target}") ? { path: z.object({ target: TARGET_NAME }) } : {}),
    ...(query === undefined ? {} : { query }),
    ...(route.idempotent ? { header: idempotencyHeader } : {}),
  };
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^A-Za-z]+(.)?/g, (_, next: string | undefined) => (next ?? "").toUpperCase())}`,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.access === "anyone" ? { security: [] } : {}),
    requestParams: parameters,
    ...(route.body === undefined ? {} : { requestBody: bodyOf(route.body, route.examples) }),
    responses: { [String(route.response.status)]: successOf(route), ...problemsOf(errorsOf(route)) },
  };
}

function queryOf({ path, scope, query }: Route): z.ZodObject | undefined {
  return scope === "server" || path.includes("{target}")
    ? query
    : (query?.extend(TargetQuery.shape) ?? TargetQuery);
}

/** How any call of its kind can fail, and how this one can besides. */
function errorsOf({ path, query, body, access, scope, effect, errors = [] }: Route): ErrorCode[] {
  const isChecked = query !== undefined || body !== undefined || path.includes("{key}");
  const when = (applies: boolean, ...codes: ErrorCode[]) => (applies ? codes : []);
  const all = [
    ...when(isChecked, "invalid"),
    ...when(access !== "anyone", "unauthenticated", "forbidden"),
    ...when(body !== undefined, "too_large", "unsupported_media_type"),
    // It may not be there, or not be reached.
    ...when(scope === "target", "not_found", "unavailable"),
    ...when(scope === "keeper", "not_found"),
    ...errors,
    ...when(effect === "writes", "read_only"),
  ];
  return [...new Set(all)];
}

function bodyOf(schema: z.ZodType, shown: Route["examples"]) {
  const examples = Object.fromEntries(
    Object.entries(shown ?? {}).map(([summary, value], at) => [`example${at + 1}`, { summary, value }]),
  );
  return {
    required: true,
    content: { "application/json": { schema, ...(shown === undefined ? {} : { examples }) } },
  };
}

const idempotencyHeader = z.object({
  "Idempotency-Key": z.string().optional().meta({
    description:
      "1 to 128 visible ASCII characters. Repeating a request with its id changes nothing; kept for two minutes and eight requests of the key.",
  }),
});

function successOf({ response }: Route) {
  const { description, schema } = response;
  if (schema === undefined) return { description };
  return {
    description,
    content: { [response.stream ? "text/event-stream" : "application/json"]: { schema } },
  };
}

function problemsOf(codes: readonly ErrorCode[]) {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes, "internal" as const]) {
    const status = STATUS_OF_CODE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      {
        description: of.map((code) => `\`${code}\`: ${TITLE_OF_CODE[code]}.`).join(" "),
        content: { "application/problem+json": { schema: Problem } },
      },
    ]),
  );
}
