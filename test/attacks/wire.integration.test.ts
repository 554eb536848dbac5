import { describe, expect } from "vitest";
import { serverTest } from "../support/fixtures.ts";
import { ROOT_KEY, waitUntil } from "../support/test-server.ts";
import { KeyspaceMonitor } from "./fuzz/keyspace-monitor.ts";
import { formatRequestHead, sendRawHttp } from "./raw-http.ts";
import { REQUEST_TARGETS } from "./request-targets.ts";

const AUTH = `Authorization: Bearer ${ROOT_KEY}`;
const CONNECTION_CLOSE = "Connection: close";
const BODY = '{"owner":"evil"}';
const LENGTH = `Content-Length: ${BODY.length}`;
const JSON_TYPE = "Content-Type: application/json";
const buildAcquireRequest = (path: string, ...more: string[]) =>
  `${formatRequestHead(`POST ${path} HTTP/1.1`, "Host: x", AUTH, JSON_TYPE, LENGTH, CONNECTION_CLOSE, ...more)}${BODY}`;

const it = serverTest({
  environment: { LOCKKEEPER_STREAMS_MAX: "3", LOCKKEEPER_STREAMS_PER_CALLER_MAX: "3" },
})
  .extend("keyspace", { scope: "file" }, ({ server }) => new KeyspaceMonitor(server.redis))
  .extend("sendRaw", { scope: "file" }, ({ server }) => (bytes: string | Buffer) => {
    return sendRawHttp(server.url, bytes);
  });

describe("hostile request targets", () => {
  // e2e/request-targets.spec.ts sends all targets, including those of kind `page`, to a server with pages.
  it.for(REQUEST_TARGETS.filter(([_, __, kind]) => kind !== "page"))(
    "a request target %s reaches no lock and causes no 5xx",
    async ([_, path, kind], { keyspace, sendRaw }) => {
      const before = await keyspace.takeSnapshot();
      const { status } = await sendRaw(buildAcquireRequest(path));
      expect([400, ...(kind === "ambiguous" ? [] : [404, 405])]).toContain(status);
      expect(keyspace.findChanges(before, await keyspace.takeSnapshot())).toEqual([]);
    },
  );

  it("encoded line breaks in a key stay part of the key and create no header", async ({
    direct,
    sendRaw,
  }) => {
    const { status, text } = await sendRaw(
      buildAcquireRequest("/api/v1/locks/lock%3Aa%0d%0aSet-Cookie%3A%20x=1/acquire"),
    );
    expect(status).toBe(201);
    expect(text).not.toMatch(/^set-cookie/im);
    expect(await direct.exists("lock:a\r\nSet-Cookie: x=1")).toBe(1);
  });

  it("raw line breaks or zero bytes in a path are rejected as invalid HTTP", async ({ sendRaw }) => {
    for (const path of ["/api/v1/locks/a\nb/acquire", "/api/v1/locks/a\u0000b/acquire"])
      expect((await sendRaw(buildAcquireRequest(path))).status).toBe(400);
  });
});

describe("hostile headers", () => {
  it("headers that smuggle a second request are rejected, and the connection is closed", async ({
    direct,
    sendRaw,
  }) => {
    const second = formatRequestHead(
      "POST /api/v1/locks/lock%3Asmuggled/acquire HTTP/1.1",
      "Host: x",
      AUTH,
      JSON_TYPE,
      LENGTH,
    );
    const bodies = [
      [`Content-Length: ${BODY.length}`, "Transfer-Encoding: chunked"],
      ["Content-Length: 4", "Content-Length: 16"],
      ["Transfer-Encoding: chunked, identity"],
      ["Transfer-Encoding: xchunked"],
      ["Transfer-Encoding : chunked"],
      ["Content-Length: +16"],
      ["Content-Length: 0x10"],
    ];
    for (const framing of bodies) {
      const head = formatRequestHead(
        "POST /api/v1/locks/lock%3Afirst/acquire HTTP/1.1",
        "Host: x",
        AUTH,
        JSON_TYPE,
        ...framing,
      );
      const { status } = await sendRaw(`${head}0\r\n\r\n${second}${BODY}`);
      expect(status, framing.join()).toBe(400);
    }
    expect(await direct.exists("lock:smuggled", "lock:first")).toBe(0);
  });

  it("a forged Host header changes no response and is not echoed", async ({ sendRaw }) => {
    const hosts = ["evil.example", "evil.example:80@127.0.0.1", "127.0.0.1\t", ""];
    for (const host of hosts) {
      const { status, text } = await sendRaw(
        formatRequestHead("GET /api/v1/openapi.json HTTP/1.1", `Host: ${host}`, CONNECTION_CLOSE),
      );
      expect([status, text.includes("evil.example")]).toEqual([200, false]);
    }
    const without = await sendRaw(formatRequestHead("GET /api/v1/openapi.json HTTP/1.1", CONNECTION_CLOSE));
    expect(without.status).toBe(400);
  });

  it("forged proxy headers make a caller neither local nor authenticated", async ({ sendRaw }) => {
    const forged = [
      "X-Forwarded-For: 127.0.0.1",
      "X-Forwarded-User: root",
      "X-Real-IP: 127.0.0.1",
      "X-Api-Key: root",
    ];
    const { status } = await sendRaw(
      formatRequestHead("GET /api/v1/locks HTTP/1.1", "Host: x", CONNECTION_CLOSE, ...forged),
    );
    expect(status).toBe(401);
  });

  it("a request id with control characters is not echoed", async ({ sendRaw }) => {
    const { text } = await sendRaw(
      formatRequestHead(
        "GET /api/v1/targets HTTP/1.1",
        "Host: x",
        AUTH,
        CONNECTION_CLOSE,
        "X-Request-Id: a\u001b[31m b",
        "Idempotency-Key: \u0080",
      ),
    );
    expect(text).not.toContain("\u001b");
  });
});

describe("oversized requests", () => {
  it("oversized bodies and too many headers are rejected before they are read", async ({ sendRaw }) => {
    const head = (framing: string) =>
      formatRequestHead(
        "POST /api/v1/locks/lock%3Aa/acquire HTTP/1.1",
        "Host: x",
        AUTH,
        JSON_TYPE,
        framing,
        CONNECTION_CLOSE,
      );
    expect((await sendRaw(head("Content-Length: 99999999999"))).status).toBe(413);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    expect((await sendRaw(`${head("Transfer-Encoding: chunked")}${chunk.repeat(3)}`)).status).toBe(413);
    const many = Array.from({ length: 3000 }, (_, n) => `X-${n}: 1`);
    expect([413, 431]).toContain(
      (
        await sendRaw(
          formatRequestHead("GET /api/v1/locks HTTP/1.1", "Host: x", AUTH, CONNECTION_CLOSE, ...many),
        )
      ).status,
    );
  });

  it("an oversized chunk extension ends the connection, and the server keeps running", async ({
    server,
    sendRaw,
  }) => {
    const head = formatRequestHead(
      "POST /api/v1/locks/lock%3Aa/acquire HTTP/1.1",
      "Host: x",
      AUTH,
      JSON_TYPE,
      "Transfer-Encoding: chunked",
    );
    const { status } = await sendRaw(`${head}1;${"x".repeat(200_000)}\r\n{\r\n`);
    expect([0, 400, 413, 431]).toContain(status);
    expect((await server.call("/targets")).status).toBe(200);
  });
});

describe("stream limits", () => {
  it("a stream beyond the limit gets 429 with Retry-After, and a closed stream makes room", async ({
    server,
  }) => {
    const sockets = [1, 2, 3].map(() => server.openSocket());
    for (const socket of sockets)
      socket.write(formatRequestHead("GET /api/v1/events HTTP/1.1", "Host: x", AUTH));
    await waitUntil(async () => (await server.call("/events")).status === 429);
    const refused = await server.call("/events");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    expect((await server.call("/targets")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await waitUntil(async () => {
      const leave = new AbortController();
      const { status } = await server.fetch("/events", { signal: leave.signal });
      leave.abort();
      return status === 200;
    });
  });
});
