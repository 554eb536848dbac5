import fc from "fast-check";
import { expect, it } from "vitest";
import { MessageParser } from "./message-parser.ts";

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** Parses the chunks and returns one string for each message or reply that the handler received. */
function parseChunks(chunks: readonly Buffer[]): string[] {
  const received: string[] = [];
  const parser = new MessageParser({
    onPatternMessage: (data, channel, channelEnd, start, end) =>
      received.push(
        `pattern ${toText(data.subarray(channel, channelEnd))} ${toText(data.subarray(start, end))}`,
      ),
    onMessage: (data, channel, channelEnd, start, end) => {
      const name = toText(data.subarray(channel, channelEnd));
      if (name.startsWith("other")) return false;
      received.push(`message ${name} ${toText(data.subarray(start, end))}`);
      return true;
    },
    onOther: (reply) => received.push(`other ${toText(reply)}`),
  });
  for (const chunk of chunks) parser.parse(chunk);
  return received;
}

const formatString = (text: string) => `$${text.length}\r\n${text}\r\n`;
const formatArray = (...parts: readonly string[]) => `*${parts.length}\r\n${parts.join("")}`;

const text = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "$", "*", "4", "\xff", "é"), maxLength: 12 });
const patternMessage = fc.tuple(text, text, text).map(([pattern, channel, message]) => ({
  sent: formatArray(...["pmessage", pattern, channel, message].map(formatString)),
  received: `pattern ${channel} ${message}`,
}));
const message = fc.tuple(text, text).map(([channel, body]) => ({
  sent: formatArray(...["message", channel, body].map(formatString)),
  received: `message ${channel} ${body}`,
}));
const other = fc
  .oneof(
    text.map((channel) => formatArray(formatString("psubscribe"), formatString(channel), ":1\r\n")),
    text.map((body) => formatArray(formatString("message"), formatString("other"), formatString(body))),
    text.map((body) => formatArray(formatString("pong"), formatString(body))),
    text.map((body) => formatArray(formatString("pmessages"), formatArray(formatString(body)))),
    text.map(formatString),
    fc.constantFrom("+OK\r\n", "-ERR no\r\n", ":-12\r\n", "$-1\r\n", "*-1\r\n", "*0\r\n"),
  )
  .map((sent) => ({ sent, received: `other ${sent}` }));

/** Splits the bytes at the given positions, taken modulo the length plus 1. */
function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

it("any replies in any chunks are received once, in order", () => {
  const replies = fc.array(fc.oneof(patternMessage, message, other), { maxLength: 8 });
  fc.assert(
    fc.property(replies, fc.array(fc.nat(), { maxLength: 12 }), (sent, cuts) => {
      const bytes = Buffer.from(sent.map((each) => each.sent).join(""), "latin1");
      expect(parseChunks(split(bytes, cuts))).toEqual(sent.map((each) => each.received));
    }),
    { numRuns: 2000 },
  );
});

it("a message of a megabyte in small chunks is received", () => {
  const body = "x".repeat(1_000_000);
  const bytes = Buffer.from(formatArray(...["message", "channel", body].map(formatString)));
  const cuts = Array.from({ length: 1000 }, (_, index) => index * 1000);
  expect(parseChunks(split(bytes, cuts))).toEqual([`message channel ${body}`]);
});

it.each([
  ["a length that is not a number", "*4\r\n$8\r\npmessage\r\n$x\r\n"],
  ["RESP3", ">4\r\n"],
])("%s is an error", (_, sent) => {
  expect(() => parseChunks([Buffer.from(sent)])).toThrow();
});
