import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Runtime } from "../../../server/runtime.ts";
import type { FuzzRequest } from "./fuzz-request.ts";

export interface FuzzResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The response body. For an event stream, only its first message. */
  readonly text: string;
}

/** The response, or `given_up` if none arrived in time. The connection is then closed. */
export type Outcome = FuzzResponse | "given_up";

export interface FuzzTransport {
  send(request: FuzzRequest): Promise<Outcome>;
}

const ANSWER_MS = 3000;
const STREAMED = /^text\/event-stream/;

/** Creates a transport that sends requests over HTTP, as clients do. */
export function createHttpTransport(url: string): FuzzTransport {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return { send: (request) => sendOverHttp(url, agent, request) };
}

function sendOverHttp(
  url: string,
  agent: Agent,
  { method, path, headers, body }: FuzzRequest,
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = httpRequest({
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...(headers as Record<string, string | string[]>), ...length },
    });
    const patience = setTimeout(() => {
      resolve("given_up");
      sent.destroy();
    }, ANSWER_MS);
    sent.once("error", reject);
    sent.once("response", (incoming) => {
      void readText(incoming).then((text) => {
        clearTimeout(patience);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      }, reject);
    });
    sent.end(body);
  });
}

/** Reads the whole body. For an event stream, reads the first message and closes the stream. */
async function readText(incoming: IncomingMessage): Promise<string> {
  const isStream = STREAMED.test(incoming.headers["content-type"] ?? "");
  const isCompressed = incoming.headers["content-encoding"] === "gzip";
  const body: Readable = isCompressed ? incoming.pipe(createGunzip()) : incoming;
  body.setEncoding("utf8");
  let text = "";
  for await (const part of body) {
    text += part;
    if (isStream && text.includes("\n\n")) break;
  }
  incoming.destroy();
  return isStream ? text.slice(0, text.indexOf("\n\n") + 1 || text.length) : text;
}

/**
 * Creates a transport that calls the web adapter, as Next does. The classes `Request` and `Response` cannot represent
 * every HTTP message.
 */
export function createWebTransport(url: string, runtime: Runtime): FuzzTransport {
  return {
    async send({ method, path, headers, body }) {
      const request = new Request(`${url}${path}`, {
        method,
        headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
          typeof value === "string" ? [[name, value]] : value.map((each) => [name, each]),
        ),
        ...(body === undefined ? {} : { body: new Blob([body as BlobPart]) }),
      });
      const response = await runtime.handleWebRequest(request);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await readWebText(response),
      };
    },
  };
}

async function readWebText(response: Response): Promise<string> {
  if (!STREAMED.test(response.headers.get("content-type") ?? "")) return await response.text();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    text += part.value;
    if (text.includes("\n\n")) break;
  }
  await reader?.cancel();
  return text.slice(0, text.indexOf("\n\n") + 1);
}

/** Whether the class `Request` can represent the request. */
export function isWebAdapterRequest({ method, body }: FuzzRequest): boolean {
  return !["TRACE", "CONNECT"].includes(method) && (body === undefined || !["GET", "HEAD"].includes(method));
}
