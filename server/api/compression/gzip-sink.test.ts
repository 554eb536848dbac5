import { constants, createGunzip, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ResponseSink } from "../http/http-exchange.ts";
import { createGzipSink } from "./gzip-sink.ts";

function createRecordingSink() {
  const chunks: Uint8Array[] = [];
  const sink: ResponseSink = {
    write: (text) => void chunks.push(Buffer.from(text)),
    close: () => undefined,
    end: () => undefined,
    bufferedBytes: 0,
    onClose: () => undefined,
  };
  return { sink, chunks };
}

const LONG = `event: window\ndata: ${JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ key: `lock:${n}` })))}\n\n`;

describe("gzip sink", () => {
  it("each message can be read as soon as it is written", async () => {
    const { sink, chunks } = createRecordingSink();
    const gzip = createGzipSink(sink);
    const gunzip = createGunzip({ flush: constants.Z_SYNC_FLUSH });
    let text = "";
    gunzip.on("data", (chunk) => {
      text += chunk;
    });
    for (const message of [
      "event: hello\ndata: {}\n\n",
      LONG,
      Buffer.from("event: health\ndata: 1\n\n"),
      "",
    ]) {
      const from = chunks.length;
      const expected = text + message;
      gzip.write(message);
      await new Promise((resolve) => gunzip.write(Buffer.concat(chunks.slice(from)), resolve));
      expect(text).toBe(expected);
    }
    gunzip.destroy();
  });

  it("an ended stream is a complete gzip file", () => {
    const { sink, chunks } = createRecordingSink();
    const gzip = createGzipSink(sink);
    const messages = ["a", LONG, "b".repeat(70_000), "c".repeat(199), "锁"];
    for (const message of messages) gzip.write(message);
    gzip.end();
    const bytes = Buffer.concat(chunks);
    expect(gunzipSync(bytes).toString()).toBe(messages.join(""));
    expect(bytes.length).toBeLessThan(Buffer.byteLength(messages.join("")) / 20);
  });

  it("a stream that ends without a message is an empty gzip file", () => {
    const { sink, chunks } = createRecordingSink();
    createGzipSink(sink).end();
    expect(gunzipSync(Buffer.concat(chunks))).toHaveLength(0);
  });

  it("a message for many clients is compressed once", () => {
    const [one, other] = [createRecordingSink(), createRecordingSink()];
    const shared = Buffer.from(LONG);
    const written: Uint8Array[] = [];
    for (const { sink } of [one, other]) {
      createGzipSink({ ...sink, write: (bytes) => void written.push(bytes as Uint8Array) }).write(shared);
    }
    expect(written[1]).toBe(written[3]);
  });
});
