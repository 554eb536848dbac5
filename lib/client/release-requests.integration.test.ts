import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { startTestHttpProxy } from "../../test/support/test-http-proxy.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import type { Hold } from "./hold.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";
import type { ReleaseRequest } from "./release-requests.ts";

const it = serverTest()
  .extend("errors", (): Error[] => [])
  .extend("proxy", async ({ server }, { onCleanup }) => {
    const proxy = await startTestHttpProxy(server.url);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend(
    "client",
    ({ proxy, errors }) =>
      new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY, onError: (error) => errors.push(error) }),
  )
  .extend("request", { scope: "file" }, ({ server }) => async (key: string, reason = "migration") => {
    const lock = await server.readLock(key);
    return await server.callVerb(key, "request-release", { expectedVersion: lock.version, reason });
  })
  .extend("waitUntilDeclared", { scope: "file" }, ({ server }) => async (key: string) => {
    const isDeclared = async () => (await server.readLock(key)).holders[0]?.receivesReleaseRequests === true;
    await waitUntil(isDeclared);
  });

function collectRequests(hold: Hold): ReleaseRequest[] {
  const requests: ReleaseRequest[] = [];
  hold.onReleaseRequested((request) => requests.push(request));
  return requests;
}

describe("hold.onReleaseRequested", () => {
  it("a request arrives with the next renewal, once, and the operator sees the answer", async ({
    client,
    server,
    request,
    waitUntilDeclared,
    errors,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 1500 });
    expect((await request(key)).body.code).toBe("release_request_unsupported");
    const requests = collectRequests(hold);
    await waitUntilDeclared(key);
    expect((await request(key)).status).toBe(200);
    await waitUntil(() => requests.length === 1);
    expect(requests[0]).toMatchObject({ requestedBy: "key:root", reason: "migration" });
    await hold.renew();
    await requests[0]?.refuse("until 14:00 UTC");
    expect((await server.readLock(key)).holders[0].releaseRequested).toMatchObject({
      ...{ state: "refused", answerText: "until 14:00 UTC" },
    });
    await expect(requests[0]?.accept()).rejects.toMatchObject({ code: "changed" });
    await request(key, "it is urgent");
    await waitUntil(() => requests.length === 2);
    await requests[1]?.accept();
    await hold.release();
    await expect(requests[1]?.accept()).rejects.toMatchObject({ code: "lost" });
    expect([requests.length, errors]).toEqual([2, []]);
  });

  it("a request from before the listener arrives with its declaration", async ({
    client,
    server,
    request,
    key,
  }) => {
    const hold = await client.acquire(key, { renewal: "manual" });
    await server.callHold(hold, "renew", { receivesReleaseRequests: true });
    await request(key);
    const requests = collectRequests(hold);
    await waitUntil(() => requests.length === 1);
    await hold.release();
  });

  it("a server that does not know release requests is reported, and the hold continues", async ({
    server,
    errors,
    key,
  }) => {
    const old = new LockkeeperClient({
      url: server.url,
      apiKey: ROOT_KEY,
      onError: (error) => errors.push(error),
      fetch: async (url, init) => {
        const isDeclaration = String(init?.body).includes("receivesReleaseRequests");
        const body = isDeclaration ? JSON.stringify({ unknown: true }) : init?.body;
        return await fetch(url, { ...init, ...(body === undefined ? {} : { body }) });
      },
    });
    const hold = await old.acquire(key);
    hold.onReleaseRequested(() => undefined);
    await waitUntil(() => errors.length === 1);
    expect(errors[0]).toMatchObject({ code: "invalid" });
    await hold.renew();
    expect(hold.state).toBe("held");
    await hold.release();
  });
});
