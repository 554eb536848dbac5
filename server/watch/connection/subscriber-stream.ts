import type { Duplex } from "node:stream";
import type { Redis } from "ioredis";
import { type MessageHandler, MessageParser } from "./message-parser.ts";

/** Delay of parsing, in turns of the event loop. Redis may write a message slightly before the reply to the same verb. */
const PARSE_DELAY_TURNS = 2;

/**
 * Parses the messages of a subscriber connection and passes other replies on to ioredis. ioredis is not used for
 * messages, because it creates several objects per message.
 *
 * Parses received data at the end of the next turn of the event loop. By then, this process has usually received the
 * replies to its own verbs.
 *
 * @param onParsed called after all data received in one turn has been parsed
 */
export function parseMessages(
  redis: Redis,
  handler: Omit<MessageHandler, "onOther">,
  onParsed: () => void,
): void {
  const attach = () => attachHandler(redis.stream, { ...handler, onParsed });
  if (redis.status === "ready") attach();
  redis.on("ready", attach);
}

interface StreamHandler extends Omit<MessageHandler, "onOther"> {
  onParsed(): void;
}

const handlersByStream = new WeakMap<Duplex, StreamHandler[]>();

function attachHandler(stream: Duplex, handler: StreamHandler): void {
  const others = handlersByStream.get(stream);
  if (others !== undefined) {
    others.push(handler);
    return;
  }
  // ioredis prepends its decoder to the listeners. When ioredis reports `ready`, the decoder holds no partial reply.
  const [decode] = stream.listeners("data");
  if (decode === undefined) throw new Error("ioredis has no decoder on its connection");
  const handlers = [handler];
  handlersByStream.set(stream, handlers);
  const parser = createParser(handlers, (reply) => decode(reply));
  let chunks: Buffer[] = [];
  const flush = () => {
    const ready = chunks;
    chunks = [];
    try {
      for (const chunk of ready) parser.parse(chunk);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : undefined);
    }
    for (const { onParsed } of handlers) onParsed();
  };
  stream.prependListener("data", (chunk: Buffer) => {
    if (chunks.length === 0) void waitTurns(PARSE_DELAY_TURNS).then(flush);
    chunks.push(chunk);
  });
  // ioredis drops its connection state on `close`, so this listener runs first and parses pending data.
  stream.prependListener("close", flush);
  stream.off("data", decode as (chunk: Buffer) => void);
}

/**
 * Resolves when this process has parsed the messages that have arrived before the call. A reading that is applied
 * afterwards is therefore applied after the events that it reflects.
 */
export function waitUntilMessagesAreParsed(): Promise<void> {
  // The next turn receives messages that arrived after the sockets of the current turn were polled.
  return waitTurns(PARSE_DELAY_TURNS + 2);
}

async function waitTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function createParser(handlers: readonly StreamHandler[], onOther: (reply: Buffer) => void): MessageParser {
  return new MessageParser({
    onOther,
    onPatternMessage: (data, channel, channelEnd, start, end) => {
      for (const { onPatternMessage } of handlers) onPatternMessage(data, channel, channelEnd, start, end);
    },
    onMessage: (data, channel, channelEnd, start, end) => {
      let isAccepted = false;
      for (const { onMessage } of handlers)
        isAccepted = onMessage(data, channel, channelEnd, start, end) || isAccepted;
      return isAccepted;
    },
  });
}
