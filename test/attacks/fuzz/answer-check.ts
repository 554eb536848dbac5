import { STATUS_OF_CODE } from "../../../lib/contract/error.ts";
import type { FuzzDocument, FuzzOperation, JsonSchema } from "./fuzz-document.ts";
import type { FuzzRequest } from "./fuzz-request.ts";
import type { FuzzResponse } from "./transport.ts";

const PROBLEM = "application/problem+json";
/** Patterns of internal details that no response may reveal. */
const LEAKS = [/node_modules/, /\bat \S+ \(?(?:file|node):/, /\.ts:\d+/, /WRONGTYPE|NOSCRIPT|ERR Error/];

/**
 * Checks a response against the OpenAPI document.
 *
 * @returns a description of the fault, or undefined if the response is correct
 */
export function findAnswerFault(
  document: FuzzDocument,
  request: FuzzRequest,
  answer: FuzzResponse,
): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500) return `${status}: ${text.slice(0, 300)}`;
  const leak = LEAKS.find((each) => each.test(text));
  if (leak !== undefined) return `${status} shows ${leak}: ${text.slice(0, 300)}`;
  if (status < 300 && request.refusedFor !== undefined && request.method !== "HEAD")
    return `${status}, but it is to be refused for ${request.refusedFor}`;
  // The HTTP parser sends these responses before the API receives a request.
  const isParser =
    status === 431 || status === 414 || (status === 400 && headers["x-request-id"] === undefined);
  if (!isParser && headers["x-request-id"] === undefined) return `${status} without x-request-id`;
  if (!/no-store|no-cache/.test(String(headers["cache-control"])) && status !== 204 && !isParser)
    return `${status} may be cached`;
  if (request.method === "HEAD") return undefined;
  const isMeant = request.method === request.operation.method;
  return status < 400
    ? isMeant
      ? findSuccessFault(document, request.operation, answer)
      : undefined
    : findProblemFault(document, isMeant ? request.operation : undefined, answer);
}

function findSuccessFault(
  document: FuzzDocument,
  operation: FuzzOperation,
  answer: FuzzResponse,
): string | undefined {
  const { status, headers, text } = answer;
  const documented = operation.responses[status];
  if (documented === undefined) return `${status} is not documented`;
  const given = headers["content-type"] === undefined ? undefined : parseMediaType(headers["content-type"]);
  const contents = Object.entries(documented.content ?? {});
  const [type, content] = contents.find(([each]) => each === given) ?? contents[0] ?? [];
  if (type === undefined) return text === "" ? undefined : `${status}: a body, and none is documented`;
  if (given !== type) return `${status}: ${given} instead of ${type}`;
  const messages = content?.["x-events"];
  if (messages !== undefined) return findMessageFault(document, messages, text);
  if (content?.schema === undefined) return undefined;
  if (!/json/.test(type)) return document.findFault(content.schema, text);
  // The body may be empty, which is valid NDJSON.
  const bodies = type === "application/x-ndjson" ? text.split("\n").filter((line) => line !== "") : [text];
  for (const each of bodies) {
    const fault = document.findFault(content.schema, parseJson(each));
    if (fault !== undefined) return `${status}: ${fault} in ${each.slice(0, 300)}`;
  }
  return undefined;
}

type StreamMessages = Readonly<Record<string, { readonly schema: JsonSchema }>>;

function findMessageFault(
  document: FuzzDocument,
  messages: StreamMessages,
  text: string,
): string | undefined {
  for (const [, name = "", data = ""] of text.matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
    const schema = messages[name]?.schema;
    if (schema === undefined) return `the message ${name} is not documented`;
    const fault = document.findFault(schema, parseJson(data));
    if (fault !== undefined) return `${name}: ${fault} in ${data.slice(0, 300)}`;
  }
  return undefined;
}

function findProblemFault(
  document: FuzzDocument,
  operation: FuzzOperation | undefined,
  answer: FuzzResponse,
): string | undefined {
  const { status, headers, text } = answer;
  const general = document.findFault({ $ref: "#/components/schemas/Problem" }, parseJson(text));
  if (parseMediaType(headers["content-type"]) !== PROBLEM || general !== undefined)
    return `${status} ${headers["content-type"]} is no problem document: ${general} in ${text.slice(0, 300)}`;
  const { code } = parseJson(text) as { code: keyof typeof STATUS_OF_CODE };
  if (STATUS_OF_CODE[code] !== status) return `${status} with the code ${code}`;
  if (operation === undefined || headers["x-request-id"] === undefined) return undefined;
  const documented = operation.responses[status];
  const schema = documented?.content?.[PROBLEM]?.schema;
  if (schema === undefined || !documented?.description.includes(`\`${code}\``))
    return `${status} ${code} is not documented: ${text.slice(0, 200)}`;
  const fault = document.findFault(schema, parseJson(text));
  return fault === undefined ? undefined : `${status} ${code}: ${fault} in ${text.slice(0, 300)}`;
}

function parseMediaType(header: string | string[] | undefined): string {
  return String(header).split(";")[0]?.trim() ?? "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Formats a curl command that repeats the request, without its credentials. */
export function formatCurl({ method, path, headers, body }: FuzzRequest): string {
  const shown = Object.entries(headers)
    .filter(([name]) => name !== "authorization" && name !== "cookie")
    .map(([name, value]) => `-H '${name}: ${value}'`);
  const text =
    body === undefined ? "" : ` --data-raw '${Buffer.from(body).toString("latin1").slice(0, 600)}'`;
  return `curl -X ${method} ${shown.join(" ")} '${path}'${text}`;
}
