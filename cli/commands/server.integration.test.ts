import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, vi } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { runCli, startCli } from "../../test/support/run-cli.ts";
import { findFreePort } from "../../test/support/test-redis.ts";
import { ROOT_KEY, startTestServer, waitUntil } from "../../test/support/test-server.ts";

// Each run of the command loads its sources, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const it = serverTest().extend("variables", { scope: "file" }, ({ server }) => ({
  LOCKKEEPER_URL: server.url,
  LOCKKEEPER_API_KEY: ROOT_KEY,
}));

/** Starts an HTTP server that is not a Lockkeeper server. @returns the URL */
async function startForeignServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const respondJson = (status: number, body: object): RequestListener => {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
};

describe("a wrong address is explained", () => {
  it("nothing listens there", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const { code, stderr } = await runCli(["ls", "--server", url]);
    expect([code, stderr]).toEqual([
      122,
      `lockkeeper: Could not reach ${url} (connection refused; is the server running, and is the port right?).\n`,
    ]);
  });

  it("a web page is there", async () => {
    const url = await startForeignServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><h1>Welcome</h1>");
    });
    const { code, stderr } = await runCli(["ls", "--server", url]);
    expect(code).toBe(125);
    expect(stderr).toBe(
      `lockkeeper: ${url} is not a Lockkeeper server (it returned HTTP 200, which is not from Lockkeeper). Give the URL of the console, including its base path.\n`,
    );
  });

  it("it redirects", async () => {
    const url = await startForeignServer((_request, response) => {
      response.writeHead(301, { location: "https://locks.example/" }).end();
    });
    const { code, stderr } = await runCli(["ls", "--server", url]);
    expect(code).toBe(125);
    expect(stderr).toContain("redirects to https://locks.example/");
  });

  it("it speaks no TLS", async ({ server }) => {
    const { code, stderr } = await runCli(["ls", "--server", server.url.replace("http:", "https:")]);
    expect(code).toBe(122);
    expect(stderr).toContain("TLS: the server does not use TLS on this port");
  });

  it("it is not a URL", async () => {
    expect((await runCli(["ls", "--server", "locks.example"])).stderr).toContain(
      "It must be an http:// or https:// URL.",
    );
    expect(await runCli(["ls"], { LOCKKEEPER_URL: "locks.example" })).toMatchObject({
      code: 125,
      stderr: "lockkeeper: LOCKKEEPER_URL is invalid. It must be an http:// or https:// URL.\n",
    });
  });
});

it("a proxy that cannot reach the server is explained", async () => {
  const url = await startForeignServer((_request, response) => {
    response.writeHead(502, { "content-type": "text/html" }).end("<h1>502 Bad Gateway</h1>");
  });
  for (const words of [["ls"], ["release", "lock:a", "--version", "v", "--reason", "r"], ["doctor", url]]) {
    const { code, stderr } = await runCli(words, { LOCKKEEPER_URL: url });
    expect([words[0], code]).toEqual([words[0], 122]);
    expect(stderr).toBe(
      `lockkeeper: ${url} returned HTTP 502: a proxy responds there, but cannot reach Lockkeeper. Try again later.\n`,
    );
  }
});

it("an older server is explained", async () => {
  const url = await startForeignServer((request, response) => {
    if (request.url === "/api/v1/openapi.json")
      respondJson(200, { info: { title: "Lockkeeper", version: "0.0.9" }, paths: {} })(request, response);
    else {
      const problem = {
        type: "/problems/not_found",
        title: "",
        status: 404,
        code: "not_found",
        detail: "No.",
      };
      respondJson(404, problem)(request, response);
    }
  });
  const { code, stderr } = await runCli(["ls", "--server", url]);
  expect(code).toBe(125);
  expect(stderr).toMatch(
    /The server at \S+ has version 0\.0\.9, which does not support this command of version/,
  );
});

it("a target that does not exist is explained by the server", async ({ variables }) => {
  const { code, stderr } = await runCli(["ls", "--target", "none"], variables);
  expect(code).toBe(125);
  expect(stderr).toMatch(/^lockkeeper: [^\n]*none[^\n]*\n$/);
});

it("an expired key is explained", async ({ server }) => {
  const { body: created } = await server.call("/keys", {
    body: { name: "short", verbs: ["read"], expiresAt: Date.now() + 1500 },
  });
  await waitUntil(() => Date.now() > created.expiresAt);
  const { code, stderr } = await runCli(["ls"], {
    LOCKKEEPER_URL: server.url,
    LOCKKEEPER_API_KEY: created.secret,
  });
  expect(code).toBe(123);
  expect(stderr).toContain("The API key is wrong, expired or revoked.");
});

it("a key without the permission is refused", async ({ server, key }) => {
  const { body: created } = await server.call("/keys", { body: { name: "reader", verbs: ["read"] } });
  await server.acquire(key);
  const { version } = await server.readLock(key);
  const { code } = await runCli(["release", key, "--version", version, "--reason", "stuck"], {
    LOCKKEEPER_URL: server.url,
    LOCKKEEPER_API_KEY: created.secret,
  });
  expect(code).toBe(123);
});

describe("lockkeeper events", () => {
  it("prints past events, oldest first", async ({ server, key, variables }) => {
    const hold = await server.acquire(key, { owner: "me", leaseMs: 60_000 });
    await server.callHold(hold, "release");
    const path = `/locks/${encodeURIComponent(key)}/history`;
    await waitUntil(async () => (await server.call(path)).body.items.length === 2);
    const { code, stdout } = await runCli(["events", "--key", key], variables);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .filter((line) => line.includes(key));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}acquired +\S+ {2}me/);
    expect(lines[1]).toMatch(/released .*held \d+/);
  });

  it("follows events and resumes after the server restarts, without a gap or a repetition", async ({
    server,
    key,
    variables,
  }) => {
    const second = await startTestServer({ environment: { REDIS_URL: server.redis.url } });
    const port = new URL(second.url).port;
    const events = startCli(["events", "--follow", "--key", key, "--type", "acquired,released", "--json"], {
      ...variables,
      LOCKKEEPER_URL: second.url,
    });
    onTestFinished(() => events.stop());
    const listIds = (): string[] =>
      events
        .read()
        .split("\n")
        .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line).id] : []));
    const listStoredIds = async (): Promise<string[]> => {
      const query = `key=${encodeURIComponent(key)}&type=acquired,released&order=oldest_first&limit=500`;
      const { body } = await server.call(`/history?${query}`);
      return body.items.map(({ id }: { id: string }) => id);
    };
    const cycle = async () => {
      const hold = await server.acquire(key, { owner: "me", leaseMs: 60_000 });
      await server.callHold(hold, "release");
    };
    // The stream is open once it has delivered an event.
    await waitUntil(async () => {
      await cycle();
      return listIds().length > 0;
    }, 15_000);
    await second.stop();
    await waitUntil(() => events.read().includes("Connection lost"));
    await cycle();
    const third = await startTestServer({ environment: { REDIS_URL: server.redis.url, PORT: port } });
    onTestFinished(() => third.stop());
    await waitUntil(() => events.read().includes("Connected again"), 15_000);
    await cycle();
    // Waits until both events of each cycle are stored and printed.
    let stored = await listStoredIds();
    await waitUntil(async () => {
      stored = await listStoredIds();
      return stored.length % 2 === 0 && listIds().at(-1) === stored.at(-1);
    });
    expect(listIds()).toEqual(stored.slice(stored.indexOf(listIds()[0] ?? "")));
  }, 60_000);

  it("ends with an error if the key is wrong", async ({ server }) => {
    const { code } = await runCli(["events", "--follow"], {
      LOCKKEEPER_URL: server.url,
      LOCKKEEPER_API_KEY: "wrong",
    });
    expect(code).toBe(123);
  });
});

describe("lockkeeper doctor", () => {
  it("prints the findings of a Redis and exits with 0 if none is serious", async ({ server, direct }) => {
    await direct.config("SET", "maxmemory-policy", "noeviction");
    const { code, stdout } = await runCli(["doctor", server.redis.url, "--json"]);
    const { findings, server: name } = JSON.parse(stdout);
    expect(name).toMatch(/^(Redis|Valkey) /);
    expect(code).toBe(findings.some(({ severity }: { severity: string }) => severity === "danger") ? 1 : 0);
  });

  it("exits with 1 if Redis may evict locks", async ({ server, direct }) => {
    await direct.config("SET", "maxmemory-policy", "allkeys-lru", "maxmemory", "100mb");
    onTestFinished(
      async () => void (await direct.config("SET", "maxmemory-policy", "noeviction", "maxmemory", "0")),
    );
    const { code, stdout } = await runCli(["doctor", server.redis.url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^danger +maxmemory-policy is allkeys-lru/m);
    expect(stdout).toMatch(/Fix: CONFIG SET maxmemory-policy noeviction/);
  });

  it("checks a server and its targets", async ({ server, variables }) => {
    const { stdout } = await runCli(["doctor", server.url], variables);
    expect(stdout).toMatch(/: Lockkeeper \d+\.\d+\.\d+, live\n/);
    expect(stdout).toMatch(/^default: (Redis|Valkey) \S+, live$/m);
    const anonymous = await runCli(["doctor", server.url]);
    // The test server does not load the pages of the console, so it is not ready.
    expect(anonymous.code).toBe(1);
    expect(anonymous.stderr).toBe("Set LOCKKEEPER_API_KEY to check the targets of the server.\n");
  });
});
