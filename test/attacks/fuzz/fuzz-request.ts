import { pathOfKey } from "../../../lib/keys/key.ts";
import type { Document, JsonSchema, Operation } from "./fuzz-document.ts";
import { type Credentials, type Plan, Raw } from "./request-plans.ts";
import type { Pools } from "./value-pools.ts";

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly operation: Operation;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | undefined;
  /** Why it must be refused, by the document alone; undefined: it may be answered in any way that is documented. */
  readonly refusedFor: string | undefined;
}

/** The headers that go with each kind of credentials. */
export type HeadersOf = (credentials: Credentials) => Readonly<Record<string, string>>;

export function requestOf(plan: Plan, pools: Pools, document: Document, headersOf: HeadersOf): FuzzRequest {
  const { operation, method, contentType, credentials } = plan;
  const { key, ...others } = plan.path;
  const named: Record<string, unknown> = { ...others, key: pools.fill(key) };
  const query = plan.query.map(([name, value]) => [name, pools.fill(value, named.key)] as const);
  const body = plan.body === undefined ? undefined : bodyOf(pools.fill(plan.body, named.key));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    segmentOf(pools.fill(named[name]), name),
  );
  const search = query.map(([name, value]) => `${encoded(name)}=${textOf(value)}`).join("&");
  const refusedFor =
    refusedMethod(plan) ??
    refusedCredentials(plan) ??
    refusedQuery(operation, query, document) ??
    (operation.body === undefined ? undefined : refusedBody(operation.body, body, contentType, document));
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

function bodyOf(value: unknown): string | Uint8Array {
  // A lone value of its own, such as undefined, has no JSON.
  return value instanceof Raw ? value.content : (JSON.stringify(value) ?? "");
}

function segmentOf(value: unknown, name: string): string {
  if (value instanceof Raw) return String(value.content);
  return name === "key" && String(value) !== "" ? pathOfKeySafely(String(value)) : encoded(String(value));
}

function pathOfKeySafely(key: string): string {
  return key.isWellFormed() ? pathOfKey(key) : encoded(key);
}

function textOf(value: unknown): string {
  if (value instanceof Raw) return String(value.content);
  return encoded(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

/** As lenient clients do it: half of a pair becomes the bytes that it would have. */
function encoded(text: string): string {
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.replace(/\p{Cs}/gu, "")).concat("%ED%A0%80");
}

function refusedMethod({ operation, method }: Plan): string | undefined {
  const isSame = method === operation.method || (method === "HEAD" && operation.method === "GET");
  // Another operation may have the address with that method; it is fuzzed by itself.
  return isSame || METHODS_OF_OURS.has(method) ? undefined : `the method ${method}`;
}

const METHODS_OF_OURS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

function refusedCredentials({ operation, method, credentials }: Plan): string | undefined {
  const isLacking = credentials === "wrong" || credentials === "none";
  return isLacking && !operation.isOpen && method === operation.method
    ? `credentials: ${credentials}`
    : undefined;
}

function refusedQuery(
  { parameters }: Operation,
  query: readonly (readonly [string, unknown])[],
  document: Document,
): string | undefined {
  for (const [name, value] of query) {
    const schema = parameters.find((each) => each.in === "query" && each.name === name)?.schema;
    // Of several with one name the last counts, or none: that is for the server to say.
    if (schema === undefined || value instanceof Raw || query.filter(([other]) => other === name).length > 1)
      continue;
    const fault = faultOfText(schema, value, document);
    if (fault !== undefined) return `query ${name}: ${fault}`;
  }
  return undefined;
}

function faultOfText(schema: JsonSchema, value: unknown, document: Document): string | undefined {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  if (!text.isWellFormed()) return undefined;
  const { type } = document.resolve(schema);
  if (type === "string") return document.faultOf(schema, text);
  // Other ways to write a number, and words for true and false, are left to the server.
  return /^-?\d{1,15}$/.test(text) ? document.faultOf(schema, Number(text)) : undefined;
}

function refusedBody(
  schema: JsonSchema,
  body: string | Uint8Array | undefined,
  contentType: string | undefined,
  document: Document,
): string | undefined {
  if (contentType !== "application/json") return `content-type: ${contentType}`;
  let value: unknown;
  try {
    // A mark of byte order may be left out of account, says RFC 8259; TextDecoder does, and so does the server.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body ?? "")));
  } catch {
    return "a body that is no JSON";
  }
  const fault = document.faultOf(schema, value);
  return fault === undefined ? undefined : `body: ${fault}`;
}
