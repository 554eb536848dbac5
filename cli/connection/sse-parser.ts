/** One message in a stream of server-sent events. */
export interface SseMessage {
  /** Absent if the message has no id. */
  readonly id?: string;
  /** Event name; `message` if the stream does not set one. */
  readonly name: string;
  /** Empty for a message without data, such as a comment or a message that only has an id. */
  readonly data: string;
}

const MESSAGE_CHARACTERS_MAX = 16 * 1024 * 1024;

/**
 * Parses server-sent events. Yields each message when the empty line after it arrives, including comments and messages
 * that only have an id.
 *
 * @throws Error if an incomplete message exceeds 16 Mi characters
 */
export async function* parseSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder();
  let buffered = "";
  for await (const bytes of body) {
    buffered = (buffered + decoder.decode(bytes, { stream: true })).replaceAll("\r\n", "\n");
    const blocks = buffered.split("\n\n");
    buffered = blocks.pop() ?? "";
    if (buffered.length > MESSAGE_CHARACTERS_MAX) throw new Error("A message of the stream is too large.");
    for (const block of blocks) yield parseBlock(block);
  }
}

/**
 * Parses the lines of one message. Comments, which the server sends to keep the connection alive, become a message
 * without id and data.
 */
function parseBlock(block: string): SseMessage {
  let id: string | undefined;
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return { ...(id === undefined ? {} : { id }), name, data: data.join("\n") };
}
