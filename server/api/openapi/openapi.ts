import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { HOLD_ID_CHARACTERS_MAX } from "../../../lib/contract/actions/verb.ts";
import type { ErrorCode } from "../../../lib/contract/error.ts";
import { Problem } from "../../../lib/contract/error.ts";
import { TARGET_CHARACTERS_MAX, TargetQuery } from "../../../lib/contract/target.ts";
import { KEY_BYTES_MAX } from "../../../lib/keys/key.ts";
import type { Route } from "../routing/route.ts";
import { TAGS } from "../routing/tags.ts";
import { EXAMPLE_HOLD_ID } from "./example-hold-id.ts";
import { compactDocument } from "./openapi-compact.ts";
import {
  collectMessageSchemas,
  createProblemResponses,
  createSuccessResponse,
  NOT_MODIFIED_RESPONSE,
} from "./openapi-responses.ts";

/** `~` and the base64url of the largest key. */
const KEY_SEGMENT_MAX = 1 + Math.ceil((KEY_BYTES_MAX * 4) / 3);
const TARGET_NAME = z
  .string()
  .min(1)
  .max(TARGET_CHARACTERS_MAX)
  .meta({ description: "The name of a target.", example: "default" });
const HOLD_ID_PARAMETER = z.string().min(1).max(HOLD_ID_CHARACTERS_MAX).meta({
  description: "The `holdId` that `acquire` returned. It names its target and its key.",
  example: EXAMPLE_HOLD_ID,
});
const INT32_MAX = 2 ** 31 - 1;

const KEY = z
  .string()
  .min(1)
  .max(KEY_SEGMENT_MAX)
  .meta({
    description: `The key of the lock, ${KEY_BYTES_MAX} bytes at most. In an address it is percent-encoded as one segment (a slash is %2F), as every client library does; or it is \`~\` and the base64url of its bytes, which \`.\`, \`..\`, keys with \`//\`, with a slash at either end, with a leading \`~\`, and bytes that are not UTF-8 need.`,
    example: "lock:orders:42",
  });

/** The OpenAPI 3.1 document, made from the same declarations that answer requests. */
export function buildOpenApiDocument(routes: readonly Route[], basePath = ""): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = `/api/v1${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: buildOperation(route) };
  }
  const document: ZodOpenApiObject = {
    openapi: "3.1.1",
    info: {
      title: "Lockkeeper",
      version: "1.0.0",
      description:
        "Locks in Redis: acquire, renew, release, look and free. A lease can be held twice after a long pause or a failover: protect what must not be written twice with the fence.\n\nWhat fails answers a problem document (RFC 9457); its `code` is one of a closed set, and its facts stand beside. A new member may come into any answer: ignore what you do not know.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: basePath || "/", description: "Where this document came from." }],
    tags: Object.entries(TAGS)
      .filter(([name]) => routes.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    security: [{ key: [] }, { session: [] }],
    paths,
    components: {
      schemas: { Problem, ...collectMessageSchemas(routes) },
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key. What apps use." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "lockkeeper_PORT",
          description:
            "A browser's session, made by POST /login. Whatever is not a GET is taken from the console's own pages only.",
        },
      },
    },
  };
  return compactDocument(createDocument(document, { override: adjustForClients }));
}

/** What generated clients need to know besides what zod says. */
const adjustForClients: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  // A client that was made before a member came into an answer must go on reading it.
  const isStrict = zodSchema instanceof z.ZodObject && zodSchema.def.catchall !== undefined;
  if (io === "output" && jsonSchema.additionalProperties === false && !isStrict) {
    delete jsonSchema.additionalProperties;
  }
  if (jsonSchema.type !== "integer") return;
  const { minimum, maximum } = jsonSchema;
  // What we answer has no limit but that a number must be exact; what we take, has.
  if (io === "output" && maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (io === "output" && minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if ((jsonSchema.maximum ?? Number.POSITIVE_INFINITY) > INT32_MAX) jsonSchema.format = "int64";
};

function buildOperation(route: Route): ZodOpenApiOperationObject {
  const { access, operationId, summary, description, tag, response, otherResponse } = route;
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(access === "anyone" ? { security: [] } : {}),
    "x-access": access,
    requestParams: buildParameters(route),
    ...(route.body === undefined ? {} : { requestBody: buildRequestBody(route.body, route.examples) }),
    responses: {
      ...Object.fromEntries(
        [response, ...(otherResponse ? [otherResponse] : [])].map((each) => [
          String(each.status),
          createSuccessResponse(each),
        ]),
      ),
      ...(response.etag ? { "304": NOT_MODIFIED_RESPONSE } : {}),
      ...createProblemResponses(listErrorCodes(route)),
    },
  };
}

function buildParameters(route: Route) {
  const { path, idParam, headers, idempotent, response } = route;
  const query = buildQuerySchema(route);
  const id = z
    .string()
    .min(1)
    .max(KEY_SEGMENT_MAX)
    .meta({ ...idParam });
  return {
    ...(path.includes("{key}") ? { path: z.object({ key: KEY }) } : {}),
    ...(path.includes("{holdId}") ? { path: z.object({ holdId: HOLD_ID_PARAMETER }) } : {}),
    ...(path.includes("{id}") ? { path: z.object({ id }) } : {}),
    ...(path.includes("{target}") ? { path: z.object({ target: TARGET_NAME }) } : {}),
    ...(query === undefined ? {} : { query }),
    ...(idempotent ? { header: idempotencyHeaderSchema } : {}),
    ...(headers === undefined ? {} : { header: headers }),
    ...(response.etag ? { header: etagHeaderSchema } : {}),
  };
}

function buildQuerySchema({ path, scope, query }: Route): z.ZodObject | undefined {
  return scope === "server" || path.includes("{target}") || path.includes("{holdId}")
    ? query
    : (query?.extend(TargetQuery.shape) ?? TargetQuery);
}

/** How any call of its kind can fail, and how this one can besides. */
export function listErrorCodes({ path, body, access, scope, effect, errors = [] }: Route): ErrorCode[] {
  const when = (applies: boolean, ...codes: ErrorCode[]) => (applies ? codes : []);
  const all: ErrorCode[] = [
    "rate_limited",
    "uri_too_long",
    "headers_too_large",
    "request_timeout",
    // One that takes no body refuses any.
    "invalid",
    ...when(access !== "anyone", "unauthenticated", "forbidden"),
    ...when(body !== undefined, "too_large", "unsupported_media_type"),
    // It may not be there, or not be reached.
    ...when(scope === "target", "not_found", "unavailable"),
    ...when(scope === "keeper", "not_found"),
    ...when(path.includes("{holdId}"), "invalid_hold_id"),
    ...errors,
    ...when(effect === "writes", "read_only"),
  ];
  return [...new Set(all)];
}

function buildRequestBody(schema: z.ZodType, shown: Route["examples"]) {
  const examples = Object.fromEntries(
    Object.entries(shown ?? {}).map(([summary, value], at) => [`example${at + 1}`, { summary, value }]),
  );
  return {
    required: true,
    content: { "application/json": { schema, ...(shown === undefined ? {} : { examples }) } },
  };
}

const idempotencyHeaderSchema = z.object({
  "Idempotency-Key": z
    .string()
    .min(1)
    .max(128)
    .regex(/^[!-~]+$/)
    .optional()
    .meta({
      description:
        "1 to 128 visible ASCII characters, new for each request. Repeating a request with its id changes nothing; kept for two minutes and eight requests of the key.",
      example: "0199c1f2-8a44-7d1e-9c3b-5f0d2b7a6e11",
    }),
});

const etagHeaderSchema = z.object({
  "If-None-Match": z.string().max(8000).optional().meta({
    description:
      "An `ETag` that was answered before: 304 without a body when nothing has changed since but the time that is left.",
    example: 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  }),
});
