import { get } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
