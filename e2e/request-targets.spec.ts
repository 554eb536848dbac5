import { KeyspaceMonitor } from "../test/attacks/fuzz/keyspace-monitor.ts";
import { formatRequestHead, sendRawHttp } from "../test/attacks/raw-http.ts";
import { REQUEST_TARGETS } from "../test/attacks/request-targets.ts";
import { expect, ROOT_KEY, test } from "./console.ts";

const BODY = '{"owner":"evil"}';

const buildRequest = (method: string, path: string) =>
  formatRequestHead(
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${ROOT_KEY}`,
    "Content-Type: application/json",
    `Content-Length: ${method === "POST" ? BODY.length : 0}`,
    "Connection: close",
  ) + (method === "POST" ? BODY : "");

// A server without pages responds to these requests with 503, so only the production build shows how pages handle them.
for (const [name, path, kind] of REQUEST_TARGETS) {
  test(`a request target ${name} reaches no lock of a server with pages`, async ({ lockkeeper }) => {
    const keyspace = new KeyspaceMonitor(lockkeeper.redis);
    const before = await keyspace.takeSnapshot();
    const acquired = await sendRawHttp(lockkeeper.url, buildRequest("POST", path), 15_000);
    const read = await sendRawHttp(lockkeeper.url, buildRequest("GET", path), 15_000);
    if (kind === "ambiguous") expect([acquired.status, read.status]).toEqual([400, 400]);
    for (const { status, text } of [acquired, read]) {
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
      expect(text).not.toMatch(/"(?:holdId|fence)"/);
      // Next.js collapses double slashes with a redirect, which must not lead to another host.
      if (status === 308) expect(text).toMatch(/^location: \/[^/\\]/im);
    }
    expect([308, 400, 404, 405]).toContain(acquired.status);
    expect(keyspace.findChanges(before, await keyspace.takeSnapshot())).toEqual([]);
  });
}
