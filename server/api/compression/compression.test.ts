import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createJsonResponse } from "../http/http-exchange.ts";
import { acceptsGzip, compressResponse, isCompressible } from "./compression.ts";

it.each([
  ["gzip, deflate, br", true],
  ["br;q=1.0, GZIP;q=0.5", true],
  ["*", true],
  ["gzip;q=0, *", false],
  ["gzip;q=0.0", false],
  ["identity", false],
  ["br", false],
  ["", false],
  [undefined, false],
])("Accept-Encoding %s", (header, accepted) => {
  expect(acceptsGzip(header)).toBe(accepted);
});

it("only successful GET responses above 1 KB are compressed", () => {
  const large = createJsonResponse(200, { text: "x".repeat(2000) });
  expect(isCompressible({ method: "GET" }, large)).toBe(true);
  expect(isCompressible({ method: "POST" }, large)).toBe(false);
  expect(isCompressible({ method: "GET" }, { ...large, status: 404 })).toBe(false);
  expect(isCompressible({ method: "GET" }, createJsonResponse(200, { text: "x" }))).toBe(false);
});

it("a compressed response names its encoding, and both forms vary by Accept-Encoding", async () => {
  const body = JSON.stringify({ text: "锁".repeat(1000) });
  const response = { status: 200, headers: { etag: 'W/"1"' }, body };
  const plain = await compressResponse({ header: () => undefined }, response);
  expect(plain).toMatchObject({ headers: { etag: 'W/"1"', vary: "accept-encoding" }, body });
  const compressed = await compressResponse({ header: () => "gzip" }, response);
  expect(compressed.headers).toMatchObject({ vary: "accept-encoding", "content-encoding": "gzip" });
  expect(gunzipSync(compressed.body as Uint8Array).toString()).toBe(body);
});
