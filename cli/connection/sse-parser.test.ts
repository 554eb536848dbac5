import fc from "fast-check";
import { expect, it } from "vitest";
import { parseSse, type SseMessage } from "./sse-parser.ts";

async function parse(bytes: Uint8Array, partBytes: number): Promise<SseMessage[]> {
  const parts = Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, at) =>
    bytes.subarray(at * partBytes, (at + 1) * partBytes),
  );
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const messages: SseMessage[] = [];
  for await (const message of parseSse(body)) messages.push(message);
  return messages;
}

const TEXT =
  'event: hello\r\ndata: {"now":1}\r\n\r\n: comment\n\nid: 7-0\nevent: released\ndata: {"owner":"订单"}\n\nid: 8-0\n\ndata: cut';

it("messages are the same, however the bytes are split", async () => {
  const bytes = new TextEncoder().encode(TEXT);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (partBytes) => {
      expect(await parse(bytes, partBytes)).toEqual([
        { name: "hello", data: '{"now":1}' },
        { name: "message", data: "" },
        { id: "7-0", name: "released", data: '{"owner":"订单"}' },
        { id: "8-0", name: "message", data: "" },
      ]);
    }),
  );
});
