import { request } from "node:http";
import { expect, test } from "vitest";
import { startTestServer } from "../../test/support/test-server.ts";

/** Logs in over plain HTTP from loopback, with a `Host` header that a reverse proxy has forwarded. */
async function logInThrough(host: string, url: string, token: string) {
  const headers = { host, origin: `http://${host}`, "content-type": "application/json" };
  return await new Promise<{ status: number | undefined; cookie: string[] | undefined }>(
    (resolve, reject) => {
      const sent = request(`${url}/api/v1/login`, { method: "POST", headers }, (response) => {
        response.resume();
        resolve({ status: response.statusCode, cookie: response.headers["set-cookie"] });
      });
      sent.once("error", reject);
      sent.end(JSON.stringify({ token }));
    },
  );
}

const it = test.extend("server", { scope: "file" }, async ({}, { onCleanup }) => {
  const server = await startTestServer();
  onCleanup(() => server.stop());
  return server;
});

it("a local proxy that is not trusted gets no session cookie over plain HTTP, and the link is not used up", async ({
  server,
}) => {
  const token = (await server.runtime.createLoginLink()) ?? "";
  for (const host of ["locks.example.com", "10.1.2.3:8080", "localhost.example.com", "[2001:db8::1]:3000"]) {
    const { status, cookie } = await logInThrough(host, server.url, token);
    expect([host, status, cookie]).toEqual([host, 403, undefined]);
  }
  const { status } = await logInThrough(new URL(server.url).host, server.url, token);
  expect(status).toBe(200);
});

it.for(["localhost:3000", "127.0.0.1:3000", "[::1]:3000", "console.localhost"])(
  "a browser on this machine logs in over plain HTTP at %s",
  async (host, { server }) => {
    const { status } = await logInThrough(host, server.url, (await server.runtime.createLoginLink()) ?? "");
    expect(status).toBe(200);
  },
);
