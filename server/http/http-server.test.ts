import { get, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatRequestHead, sendRawHttp } from "../../test/attacks/raw-http.ts";
import { readConfig } from "../config/config.ts";
import { HttpServer } from "./http-server.ts";

let httpServer: HttpServer;
let url: string;

beforeEach(async () => {
  httpServer = new HttpServer(readConfig({ PORT: "0" }, []));
  url = `http://127.0.0.1:${await httpServer.listen()}`;
});
afterEach(() => httpServer.stop());

describe("starting server", () => {
  it("a starting server responds to API requests with 503 and a problem document", async () => {
    const response = await fetch(`${url}/api/v1/locks/lock%3Aa/acquire`, { method: "POST", body: "{}" });
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ code: "unavailable", status: 503 });
  });

  it("a starting server is live but not ready", async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, "starting\n"]);
  });
});

it("a request that offers an HTTP/2 upgrade is served, even if the pages listen for upgrades", async () => {
  httpServer.server.on("upgrade", (_request, socket) => socket.destroy());
  await fetch(`${url}/healthz`);
  const headers = {
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABkAAQAoAAAAAIAAAAA",
  };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    get(`${url}/healthz`, { headers }, (response) => resolve(response.resume().statusCode)).on(
      "error",
      reject,
    );
  });
  expect(status).toBe(200);
});

describe("ambiguous paths", () => {
  const PATHS = [
    "/./api/v1/locks/lock%3Aa/acquire",
    "/x/../api/v1/locks/lock%3Aa/acquire",
    "/./api/v1/locks/x/../lock%3Aa/acquire",
    "/api/v1/locks/../locks/lock%3Aa/acquire",
    "/api/v1/locks/%2e%2E/lock%3Aa/acquire",
    "/api/v1/locks/.%2e/lock%3Aa",
    "/locks/%2e",
    "/x/..",
    "/x\\..\\api/v1/locks/lock%3Aa/acquire",
    "/a\tpi/v1/locks/lock%3Aa/acquire",
    "/api#/../v1/locks/lock%3Aa/acquire",
  ];

  it.each(PATHS)("the path %j returns 400 and reaches neither the API nor a page", async (path) => {
    const reached: (string | undefined)[] = [];
    const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      reached.push(incoming.url);
      outgoing.end();
    };
    httpServer.attachRuntime({
      readiness: { ready: true, state: "ready", warnings: [] },
      handleNodeRequest: async (incoming, outgoing) => handle(incoming, outgoing),
      handleMetricsRequest: async (incoming, outgoing) => handle(incoming, outgoing),
      endPendingRequests: () => undefined,
      closeStreams: () => undefined,
    });
    httpServer.attachPages(handle);
    const head = formatRequestHead(
      `POST ${path} HTTP/1.1`,
      "Host: x",
      "Content-Length: 0",
      "Connection: close",
    );
    const { status, text } = await sendRawHttp(url, head);
    expect([status, reached]).toEqual([400, []]);

    expect(text).toContain('"code":"invalid"');
  });

  it("keys with encoded slashes, dots in names and encoded backslashes reach the API", async () => {
    const reached: (string | undefined)[] = [];
    httpServer.attachRuntime({
      readiness: { ready: true, state: "ready", warnings: [] },
      handleNodeRequest: async (incoming, outgoing) => {
        reached.push(incoming.url);
        outgoing.end();
      },
      handleMetricsRequest: async () => undefined,
      endPendingRequests: () => undefined,
      closeStreams: () => undefined,
    });
    const paths = [
      "/api/v1/locks/a%2F..%2Fb",
      "/api/v1/locks/.a",
      "/api/v1/locks/...",
      "/api/v1/locks/a%5Cb",
    ];
    for (const path of paths)
      await sendRawHttp(url, formatRequestHead(`GET ${path} HTTP/1.1`, "Host: x", "Connection: close"));
    expect(reached).toEqual(paths);
  });
});
