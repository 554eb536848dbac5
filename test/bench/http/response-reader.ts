/**
 * Parses HTTP/1.1 responses from a stream with one request at a time. The body may have a length or be chunked. It
 * parses no more than a load generator needs, because the load generator competes with the measured server for CPU
 * time.
 */
export class ResponseReader {
  #text = "";

  /**
   * Adds received text.
   *
   * @returns the status and body of the response, or undefined if it is not complete yet
   */
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
