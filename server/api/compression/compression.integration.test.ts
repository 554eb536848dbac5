import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import {
  createBearerHeader,
  ROOT_KEY,
  type TestServer,
  waitUntil,
} from "../../../test/support/test-server.ts";
import { TestStream } from "../../../test/support/test-stream.ts";

interface RawResponse {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Sends a request and returns the response without decompressing its body, which `fetch` would do. */
async function getRaw(
  server: TestServer,
  path: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<RawResponse> {
  return await new Promise((resolve, reject) => {
    const options = { method, headers: { ...createBearerHeader(ROOT_KEY), ...headers } };
    const sent = request(`${server.url}/api/v1${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

const node = serverTest({ adapter: "node" });
const next = serverTest({ adapter: "next" });
const GZIP = { "accept-encoding": "br, gzip" };

describe("compression through the node adapter", () => {
  const it = node;

  it("a list is compressed for a client that accepts gzip, and the same without it", async ({
    server,
    key,
  }) => {
    for (let n = 0; n < 20; n++) await server.acquire(`${key}:${n}`, { owner: `worker-${n}` });
    const path = `/locks?filter=${encodeURIComponent(`key:${key}:*`)}&sort=key`;
    await waitUntil(async () => {
      const { body } = await getRaw(server, path, {});
      return JSON.parse(body.toString()).total === 20;
    });
    const plain = await getRaw(server, path, {});
    const compressed = await getRaw(server, path, GZIP);
    expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(compressed.headers).toMatchObject({ vary: "accept-encoding", "content-encoding": "gzip" });
    expect(compressed.headers.etag).toBe(plain.headers.etag);
    expect(compressed.body.length * 4).toBeLessThan(plain.body.length);
    expect(JSON.parse(gunzipSync(compressed.body).toString())).toMatchObject({ total: 20 });
    const same = await getRaw(server, path, { ...GZIP, "if-none-match": String(plain.headers.etag) });
    expect([same.headers["content-encoding"], same.body.length]).toEqual([undefined, 0]);
  });

  it("each message of a compressed stream arrives when it is sent", async ({ server, key }) => {
    const { response, messages, leave } = await TestStream.open(server, "/live?sort=key", GZIP);
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    await waitUntil(() => messages.some(({ event }) => event === "window"));
    // Makes one change at a time, so that each arrives in a message of its own.
    for (let n = 0; n < 5; n++) {
      await server.acquire(`${key}:step-${n}`, { owner: "me" });
      await waitUntil(() => JSON.stringify(messages).includes(`${key}:step-${n}`));
    }
    leave();
  });

  it("a poll is a complete gzip file, and a stream without Accept-Encoding is plain", async ({ server }) => {
    const poll = await getRaw(server, "/live?mode=poll", GZIP);
    expect(poll.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(poll.body).toString()).toMatch(/^event: hello\n[\s\S]*event: health\n/);
    const plain = await getRaw(server, "/live?mode=poll", {});
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.body.toString()).toMatch(/^event: hello\n/);
  });
});

describe("compression through the next adapter", () => {
  const it = next;

  it("lists and streams are not compressed, because Next drops the header that says so", async ({
    server,
    key,
  }) => {
    for (let n = 0; n < 5; n++) await server.acquire(`${key}:${n}`, { owner: "me" });
    await waitUntil(async () => (await server.call("/locks")).body.total === 5);
    for (const path of ["/locks", "/live?mode=poll"]) {
      const response = await server.fetch(path, { headers: GZIP });
      expect([path, response.headers.get("content-encoding")]).toEqual([path, null]);
      expect(await response.text()).toContain(`"key":"${key}:0"`);
    }
  });
});
