/**
 * Splits a stream of HTTP/1.1 into responses, one at a time, with a length or chunked. It reads only what a load
 * generator needs, because its CPU time is taken from the measured server.
 */
export class ResponseReader {
  #text = "";

  /** Returns the status and body of a response, once it is complete. */
  push(bytes: string): { readonly status: number; readonly body: string } | undefined {
    this.#text = this.#text === "" ? bytes : this.#text + bytes;
    const text = this.#text;
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const body = readBody(text, end);
    if (body === undefined) return undefined;
    this.#text = "";
    return { status: Number(text.slice(9, 12)), body };
  }
}

const LENGTH = /\r\ncontent-length: *(\d+)/i;
const LAST_CHUNK = "0\r\n\r\n";

function readBody(text: string, end: number): string | undefined {
  const body = text.slice(end + 4);
  const length = LENGTH.exec(text);
  if (length !== null && length.index < end) return body.length < Number(length[1]) ? undefined : body;
  if (!body.endsWith(LAST_CHUNK)) return undefined;
  return joinChunks(body);
}

function joinChunks(chunks: string): string {
  let body = "";
  for (let at = 0; ; ) {
    const line = chunks.indexOf("\r\n", at);
    const size = Number.parseInt(chunks.slice(at, line), 16);
    if (!(size > 0)) return body;
    body += chunks.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
