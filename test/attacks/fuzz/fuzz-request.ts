import { encodeKeyPath } from "../../../lib/keys/key.ts";
import type { FuzzDocument, FuzzOperation, JsonSchema } from "./fuzz-document.ts";
import { type Credentials, RawContent, type RequestPlan } from "./request-plans.ts";
import type { ValuePools } from "./value-pools.ts";

/** A request with all values filled in, ready to be sent. */
export interface FuzzRequest {
  readonly operation: FuzzOperation;
  readonly method: string;
  /** The path with the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | undefined;
  /**
   * The reason why the OpenAPI document requires the server to reject the request. Undefined if any documented response
   * is allowed.
   */
  readonly refusedFor: string | undefined;
}

/** Returns the request headers that present the given credentials. */
export type GetHeaders = (credentials: Credentials) => Readonly<Record<string, string>>;

export function buildRequest(
  plan: RequestPlan,
  pools: ValuePools,
  document: FuzzDocument,
  headersOf: GetHeaders,
): FuzzRequest {
  const { operation, method, contentType, credentials } = plan;
  const { key, ...others } = plan.path;
  const named: Record<string, unknown> = { ...others, key: pools.fill(key) };
  const query = plan.query.map(([name, value]) => [name, pools.fill(value, named.key)] as const);
  const body = plan.body === undefined ? undefined : encodeBody(pools.fill(plan.body, named.key));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeSegment(pools.fill(named[name]), name),
  );
  const search = query
    .map(([name, value]) => `${encodeLeniently(name)}=${encodeQueryValue(value)}`)
    .join("&");
  const refusedFor =
    findMethodFault(plan) ??
    findCredentialsFault(plan) ??
    findQueryFault(operation, query, document) ??
    (operation.body === undefined ? undefined : findBodyFault(operation.body, body, contentType, document));
  return {
    operation,
    method,
    path: search === "" ? path : `${path}?${search}`,
    headers: {
      ...headersOf(credentials),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
      ...plan.headers,
    },
    body,
    refusedFor,
  };
}

function encodeBody(value: unknown): string | Uint8Array {
  // JSON has no representation of some values, such as undefined.
  return value instanceof RawContent ? value.content : (JSON.stringify(value) ?? "");
}

function encodeSegment(value: unknown, name: string): string {
  if (value instanceof RawContent) return String(value.content);
  return name === "key" && String(value) !== ""
    ? encodeKeySafely(String(value))
    : encodeLeniently(String(value));
}

function encodeKeySafely(key: string): string {
  return key.isWellFormed() ? encodeKeyPath(key) : encodeLeniently(key);
}

function encodeQueryValue(value: unknown): string {
  if (value instanceof RawContent) return String(value.content);
  return encodeLeniently(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

/**
 * Percent-encodes a text. If the text contains lone surrogates, they are replaced by the bytes of one lone surrogate at
 * the end, as lenient clients would encode it in UTF-8.
 */
function encodeLeniently(text: string): string {
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.replace(/\p{Cs}/gu, "")).concat("%ED%A0%80");
}

function findMethodFault({ operation, method }: RequestPlan): string | undefined {
  const isSame = method === operation.method || (method === "HEAD" && operation.method === "GET");
  // Another API method may be a separate operation of the same path, which is fuzzed on its own.
  return isSame || API_METHODS.has(method) ? undefined : `the method ${method}`;
}

const API_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

function findCredentialsFault({ operation, method, credentials }: RequestPlan): string | undefined {
  const isLacking = credentials === "wrong" || credentials === "none";
  return isLacking && !operation.isOpen && method === operation.method
    ? `credentials: ${credentials}`
    : undefined;
}

function findQueryFault(
  { parameters }: FuzzOperation,
  query: readonly (readonly [string, unknown])[],
  document: FuzzDocument,
): string | undefined {
  for (const [name, value] of query) {
    const schema = parameters.find((each) => each.in === "query" && each.name === name)?.schema;
    // If a parameter is repeated, the server may use the last value or reject the request.
    if (
      schema === undefined ||
      value instanceof RawContent ||
      query.filter(([other]) => other === name).length > 1
    )
      continue;
    const fault = findTextFault(schema, value, document);
    if (fault !== undefined) return `query ${name}: ${fault}`;
  }
  return undefined;
}

function findTextFault(schema: JsonSchema, value: unknown, document: FuzzDocument): string | undefined {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  if (!text.isWellFormed()) return undefined;
  const { type } = document.resolve(schema);
  if (type === "string") return document.findFault(schema, text);
  // Accepting other notations of numbers, and notations of booleans, is up to the server.
  return /^-?\d{1,15}$/.test(text) ? document.findFault(schema, Number(text)) : undefined;
}

function findBodyFault(
  schema: JsonSchema,
  body: string | Uint8Array | undefined,
  contentType: string | undefined,
  document: FuzzDocument,
): string | undefined {
  if (contentType !== "application/json") return `content-type: ${contentType}`;
  let value: unknown;
  try {
    // RFC 8259 allows parsers to ignore a byte order mark. TextDecoder and the server do so.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body ?? "")));
  } catch {
    return "a body that is no JSON";
  }
  const fault = document.findFault(schema, value);
  return fault === undefined ? undefined : `body: ${fault}`;
}
