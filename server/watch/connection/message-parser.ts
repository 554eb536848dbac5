/** Handles the messages and replies of a subscriber connection. All numeric parameters are byte offsets in `data`. */
export interface MessageHandler {
  /** Called for a message on a channel that matches a pattern. */
  onPatternMessage(
    data: Buffer,
    channel: number,
    channelEnd: number,
    message: number,
    messageEnd: number,
  ): void;
  /**
   * Called for a message on a channel.
   *
   * @returns whether this method handled the message; if false, `onOther` receives the message
   */
  onMessage(data: Buffer, channel: number, channelEnd: number, message: number, messageEnd: number): boolean;
  /** Called with each complete reply that is not a message, and with each message that `onMessage` did not handle. */
  onOther(reply: Buffer): void;
}

const PATTERN_MESSAGE = Buffer.from("*4\r\n$8\r\npmessage\r\n");
const MESSAGE = Buffer.from("*3\r\n$7\r\nmessage\r\n");
const [CR, DOLLAR, STAR, MINUS, ZERO] = [0x0d, 0x24, 0x2a, 0x2d, 0x30];
/** First bytes of single-line replies: `+`, `-` and `:`. */
const LINES = new Set([0x2b, MINUS, 0x3a]);
/** Maximum number of digits in a length. Redis's default string limit, 512 MB, has nine digits in bytes. */
const DIGITS_MAX = 10;

/**
 * Splits the data of a subscriber connection (RESP2) into messages and other replies. Keeps an incomplete reply until
 * its remaining bytes arrive. Copies data only to join the parts of an incomplete reply.
 */
export class MessageParser {
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Minimum total size of the incomplete reply, in bytes. */
  #neededBytes = 0;
  /** Start and end offsets of the last string that was read. */
  #start = 0;
  #end = 0;

  constructor(private readonly handler: MessageHandler) {}

  parse(chunk: Buffer): void {
    let data = chunk;
    if (this.#keptBytes > 0) {
      this.#kept.push(chunk);
      this.#keptBytes += chunk.length;
      if (this.#keptBytes < this.#neededBytes) return;
      data = Buffer.concat(this.#kept, this.#keptBytes);
    }
    this.#kept = [];
    this.#keptBytes = 0;
    let at = 0;
    while (at < data.length) {
      this.#neededBytes = 0;
      const end = this.#parseReply(data, at);
      if (end === undefined) {
        this.#kept = [data.subarray(at)];
        this.#keptBytes = data.length - at;
        this.#neededBytes = Math.max(this.#neededBytes - at, this.#keptBytes + 1);
        return;
      }
      at = end;
    }
  }

  /** Returns the end offset of the reply, or `undefined` if the reply is incomplete. */
  #parseReply(data: Buffer, at: number): number | undefined {
    if (hasPrefix(data, at, PATTERN_MESSAGE))
      return this.#parsePatternMessage(data, at + PATTERN_MESSAGE.length);
    const isMessage = hasPrefix(data, at, MESSAGE);
    const end = isMessage ? this.#parseMessage(data, at + MESSAGE.length) : this.#findReplyEnd(data, at);
    if (end === undefined || (isMessage && end > 0)) return end;
    const replyEnd = Math.abs(end);
    this.handler.onOther(data.subarray(at, replyEnd));
    return replyEnd;
  }

  #parsePatternMessage(data: Buffer, at: number): number | undefined {
    if (!this.#readString(data, at) || !this.#readString(data, this.#end + 2)) return undefined;
    const [channel, channelEnd] = [this.#start, this.#end];
    if (!this.#readString(data, channelEnd + 2)) return undefined;
    const messageEnd = this.#end;
    this.handler.onPatternMessage(data, channel, channelEnd, this.#start, messageEnd);
    return messageEnd + 2;
  }

  /**
   * Returns the end offset of the message, or the negated end offset if the handler did not handle the message. Returns
   * `undefined` if the message is incomplete.
   */
  #parseMessage(data: Buffer, at: number): number | undefined {
    if (!this.#readString(data, at)) return undefined;
    const [channel, channelEnd] = [this.#start, this.#end];
    if (!this.#readString(data, channelEnd + 2)) return undefined;
    const messageEnd = this.#end;
    const isAccepted = this.handler.onMessage(data, channel, channelEnd, this.#start, messageEnd);
    return isAccepted ? messageEnd + 2 : -(messageEnd + 2);
  }

  /**
   * Reads `$length\r\ntext\r\n`, and sets `#start` and `#end` to the offsets of the text. Returns false if the string
   * is incomplete.
   *
   * @throws Error if the data is not a string
   */
  #readString(data: Buffer, at: number): boolean {
    if (at >= data.length) return false;
    if (data[at] !== DOLLAR) throw new Error("Redis sent a message whose part is not a string");
    const line = this.#readNumber(data, at + 1);
    if (line === undefined) return false;
    this.#start = this.#end + 2;
    this.#end = this.#start + Math.max(0, line);
    if (this.#end + 2 <= data.length) return true;
    this.#neededBytes = Math.max(this.#neededBytes, this.#end + 2);
    return false;
  }

  /**
   * Reads the number from `at` to the end of the line, and sets `#end` to the offset of the line end. Returns
   * `undefined` if the line is incomplete.
   */
  #readNumber(data: Buffer, at: number): number | undefined {
    const isNegative = data[at] === MINUS;
    const first = isNegative ? at + 1 : at;
    let value = 0;
    for (let each = first; each < data.length; each++) {
      const byte = data[each] ?? CR;
      if (byte === CR) {
        this.#end = each;
        return each + 1 < data.length ? (isNegative ? -value : value) : undefined;
      }
      if (byte < ZERO || byte > ZERO + 9 || each - first >= DIGITS_MAX)
        throw new Error("Redis sent a length that is not a number");
      value = 10 * value + byte - ZERO;
    }
    return undefined;
  }

  #findReplyEnd(data: Buffer, at: number): number | undefined {
    const type = data[at];
    if (type === undefined) return undefined;
    if (LINES.has(type)) {
      const end = data.indexOf("\r\n", at);
      return end < 0 ? undefined : end + 2;
    }
    if (type === DOLLAR && data[at + 1] !== MINUS)
      return this.#readString(data, at) ? this.#end + 2 : undefined;
    if (type !== STAR && type !== DOLLAR) throw new Error("Redis sent a reply of an unknown type");
    const count = this.#readNumber(data, at + 1);
    if (count === undefined) return undefined;
    let end: number | undefined = this.#end + 2;
    for (let left = type === STAR ? count : 0; left > 0 && end !== undefined; left--)
      end = this.#findReplyEnd(data, end);
    return end;
  }
}

function hasPrefix(data: Buffer, at: number, prefix: Buffer): boolean {
  if (at + prefix.length > data.length) return false;
  for (let each = 0; each < prefix.length; each++) if (data[at + each] !== prefix[each]) return false;
  return true;
}
