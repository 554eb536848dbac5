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
import { TARGET_CHARACTERS_MAX, TargetQuery } from "../../../lib/contract/target.ts";
import { KEY_BYTES_MAX } from "../../../lib/keys/key.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { Route } from "../routing/route.ts";
import { TAGS } from "../routing/tags.ts";
import { EXAMPLE_HOLD_ID } from "./example-hold-id.ts";
import { compactDocument } from "./openapi-compact.ts";
import { createProblemResponses, createSuccessResponse, NOT_MODIFIED_RESPONSE } from "./openapi-responses.ts";

/** Maximum length of a key in a path, in characters: `~` followed by the base64url encoding of the largest key. */
const KEY_SEGMENT_MAX = 1 + Math.ceil((KEY_BYTES_MAX * 4) / 3);
const TARGET_NAME = z
  .string()
  .min(1)
  .max(TARGET_CHARACTERS_MAX)
  .meta({ description: "Name of the target.", example: "default" });
const HOLD_ID_PARAMETER = z.string().min(1).max(HOLD_ID_CHARACTERS_MAX).meta({
  description: "`holdId` returned by `acquire`. It contains the target and the key.",
  example: EXAMPLE_HOLD_ID,
});
const DESCRIPTION = [
  "Applications acquire, renew and release locks. Operators list them and force-release stuck ones.",
  "A lease in Redis does not guarantee mutual exclusion: after a long pause of a process or a failover of Redis, two clients can believe that they hold the lock. Send the fencing token (`fence`) with every write, and have the resource reject a token lower than the highest it has accepted.",
  "Errors are problem documents (RFC 9457). `code` is one of a fixed set, and `type` is the path of a page on this server that explains it. Any response can gain fields: ignore fields that you do not know.",
  "Times are Unix milliseconds. Durations are milliseconds. Both are 64-bit integers.",
].join("\n\n");

const INT32_MAX = 2 ** 31 - 1;

const KEY = z
  .string()
  .min(1)
  .max(KEY_SEGMENT_MAX)
  .meta({
    description: `Key of the lock, at most ${KEY_BYTES_MAX} bytes, percent-encoded as one path segment (\`/\` is \`%2F\`). Use \`~\` followed by the base64url of its bytes for \`.\`, \`..\`, keys that contain \`//\`, start or end with \`/\`, or start with \`~\`, and keys that are not valid UTF-8.`,
    example: "lock:orders:42",
  });

/** Builds the OpenAPI 3.1 document from the same route declarations that handle the requests. */
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
      version: packageJson.version,
      description: DESCRIPTION,
      contact: { name: "Lockkeeper" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: basePath || "/", description: "The server that returned this document." }],
    tags: Object.entries(TAGS)
      .filter(([name]) => routes.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    security: [{ key: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, for applications." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "lockkeeper_PORT",
          description:
            "A browser session, created by `POST /login`. `PORT` is the port of the address that the browser uses; over TLS the name begins with `__Host-`, or with `__Secure-` below a base path, which is then appended. Requests other than GET are only accepted from pages of the console.",
        },
      },
    },
  };
  return compactDocument(createDocument(document, { override: adjustForClients }));
}

/** Adjusts the schemas that zod emits, so that generators and validators accept them. */
const adjustForClients: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  // Responses may gain fields later, so their schemas must not reject additional properties.
  const isStrict = zodSchema instanceof z.ZodObject && zodSchema.def.catchall !== undefined;
  if (io === "output" && jsonSchema.additionalProperties === false && !isStrict) {
    delete jsonSchema.additionalProperties;
  }
  mergeNull(jsonSchema);
  // Unicode property escapes require the `u` flag, which most tools that read the document do not set.
  if (jsonSchema.pattern?.includes("\\p{")) delete jsonSchema.pattern;
  if (jsonSchema.type === "number") jsonSchema.format = "double";
  if (jsonSchema.type !== "integer") return;
  const { minimum, maximum } = jsonSchema;
  // The limits of exact integers in JavaScript apply only to requests, so they are omitted from responses.
  if (io === "output" && maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (io === "output" && minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if ((jsonSchema.maximum ?? Number.POSITIVE_INFINITY) > INT32_MAX) jsonSchema.format = "int64";
};

/**
 * Rewrites a nullable primitive from `anyOf` to `type: [T, "null"]`, because generators create a union type for
 * `anyOf`.
 */
function mergeNull(schema: Parameters<ZodOpenApiOverride>[0]["jsonSchema"]): void {
  const [value, none, ...others] = schema.anyOf ?? [];
  if (value === undefined || none?.type !== "null" || others.length > 0) return;
  if (typeof value.type !== "string" || value.type === "object" || value.type === "array") return;
  const { anyOf: _, ...annotations } = schema;
  delete schema.anyOf;
  Object.assign(schema, value, annotations, { type: [value.type, "null"] });
  if (value.enum !== undefined) schema.enum = [...value.enum, null];
}

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
      ...createProblemResponses(operationId, listErrorCodes(route)),
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
    ...(path.includes("{id}") ? { path: z.object({ id }) } : {}),
    ...(path.includes("{holdId}")
      ? { path: z.object({ holdId: HOLD_ID_PARAMETER, ...(path.includes("{id}") ? { id } : {}) }) }
      : {}),
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

/**
 * Returns all error codes of a route: the codes that follow from its declaration and the codes that it lists in
 * `errors`.
 */
export function listErrorCodes({ path, body, access, scope, effect, errors = [] }: Route): ErrorCode[] {
  const when = (applies: boolean, ...codes: ErrorCode[]) => (applies ? codes : []);
  const all: ErrorCode[] = [
    "rate_limited",
    "uri_too_long",
    "headers_too_large",
    "request_timeout",
    // Routes without a body also return `invalid`, because they reject bodies with fields.
    "invalid",
    "method_not_allowed",
    ...when(access !== "anyone", "unauthenticated", "forbidden"),
    ...when(body !== undefined, "too_large", "unsupported_media_type"),
    ...when(scope === "target", "not_found", "unavailable"),
    ...when(scope === "connector", "not_found"),
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
        "1 to 128 visible ASCII characters, new for each operation. A repeated request with the same value has no further effect. The server remembers values for 2 minutes; on busy locks, at least the last eight.",
      example: "0199c1f2-8a44-7d1e-9c3b-5f0d2b7a6e11",
    }),
});

const etagHeaderSchema = z.object({
  "If-None-Match": z.string().max(8000).optional().meta({
    description:
      "The `ETag` of an earlier response. If nothing changed except the remaining times, the response is 304 without a body.",
    example: 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  }),
});
