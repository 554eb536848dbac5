import type { Duplex } from "node:stream";
import type { Redis } from "ioredis";
import { type MessageHandler, MessageParser } from "./message-parser.ts";

/**
 * Parses the messages of a subscriber connection instead of ioredis, which creates several objects for each. Other
 * replies are passed on to it.
 *
 * Data is parsed after all sockets that are readable in the same turn of the event loop, so that the replies to verbs of
 * this process, which Redis sends at the same time as their messages, are usually known first.
 *
 * @param onParsed called after each parsed chunk
 */
export function parseMessages(
  redis: Redis,
  handler: Omit<MessageHandler, "onOther">,
  onParsed: () => void,
): void {
  const attach = () => attachParser(redis.stream, handler, onParsed);
  if (redis.status === "ready") attach();
  redis.on("ready", attach);
}

const attached = new WeakSet<Duplex>();

function attachParser(
  stream: Duplex,
  { onPatternMessage, onMessage }: Omit<MessageHandler, "onOther">,
  onParsed: () => void,
): void {
  // ioredis prepends its decoder to the listeners. When it reports `ready`, it has decoded whole replies only.
  const [decode] = stream.listeners("data");
  if (decode === undefined || attached.has(stream)) return;
  attached.add(stream);
  const parser = new MessageParser({ onPatternMessage, onMessage, onOther: (reply) => decode(reply) });
  let chunks: Buffer[] = [];
  const flush = () => {
    const ready = chunks;
    chunks = [];
    for (const chunk of ready) {
      try {
        parser.parse(chunk);
      } catch (error) {
        stream.destroy(error instanceof Error ? error : undefined);
        return;
      } finally {
        onParsed();
      }
    }
  };
  stream.prependListener("data", (chunk: Buffer) => {
    if (chunks.length === 0) setImmediate(flush);
    chunks.push(chunk);
  });
  // ioredis drops the state of the connection when it closes.
  stream.prependListener("close", flush);
  stream.off("data", decode as (chunk: Buffer) => void);
}
