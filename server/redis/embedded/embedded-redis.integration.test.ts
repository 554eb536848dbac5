import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePort, findTestBinary, startTestRedis } from "../../../test/support/test-redis.ts";
import { StartupError } from "../../errors/startup-error.ts";
import { readEmbeddedUrl } from "./embedded-credentials.ts";
import { type EmbeddedRedis, startEmbeddedRedis } from "./embedded-redis.ts";
import type { EmbeddedOptions } from "./embedded-server.ts";
import { isRunning, sendSignal, waitUntilGone } from "./server-process.ts";

const run = promisify(execFile);
const HERE = new URL("./embedded-redis.ts", import.meta.url).href;

const it = test
  .extend("binary", { scope: "file" }, () => findTestBinary())
  .extend("dataDir", async ({}, { onCleanup }) => {
    const dataDir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper \"embedded' é ")));
    onCleanup(() => rm(dataDir, { recursive: true, force: true }));
    return dataDir;
  })
  .extend("preferredPort", () => findFreePort())
  .extend("start", async ({ binary, dataDir, preferredPort }, { onCleanup }) => {
    const started: EmbeddedRedis[] = [];
    onCleanup(async () => {
      for (const redis of started) {
        await redis.stop();
        sendSignal(redis.pid, "SIGKILL");
        await waitUntilGone(redis.pid, 1_000);
      }
    });
    return async (changes: Partial<EmbeddedOptions> = {}) => {
      const redis = await startEmbeddedRedis({ binary, dataDir, preferredPort, ...changes });
      started.push(redis);
      return redis;
    };
  })
  // Starts another Lockkeeper process, which reports the server that it uses. The process then ends as `after` states.
  .extend("startElsewhere", ({ binary, dataDir, preferredPort }) => async (after: "is killed" | "exits") => {
    const last = after === "is killed" ? 'process.kill(process.pid, "SIGKILL")' : "process.exit(0)";
    const code = `
    const { startEmbeddedRedis } = await import(${JSON.stringify(HERE)});
    const { pid, port, url } = await startEmbeddedRedis(${JSON.stringify({ binary, dataDir, preferredPort })});
    process.stdout.write(JSON.stringify({ pid, port, url }), () => ${last});`;
    const args = ["--import", "tsx", "--input-type=module", "-e", code];
    const { stdout } = await run(process.execPath, args).catch((error) => error as { stdout: string });
    return JSON.parse(stdout) as { pid: number; port: number; url: string };
  });

async function ask({ url }: { url: string }, ...command: [string, ...string[]]): Promise<unknown> {
  const client = new Redis(url);
  try {
    return await client.call(...command);
  } finally {
    client.disconnect();
  }
}

/**
 * Finds a file of the append-only log. In Redis 6.2, the log is one file. In later versions, it is a folder with a
 * manifest.
 */
async function findLogFile(dataDir: string, extension: ".incr.aof" | ".manifest"): Promise<string> {
  const folder = join(dataDir, "appendonlydir");
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return join(dataDir, "appendonly.aof");
  return join(folder, names.find((name) => name.endsWith(extension)) ?? "");
}

interface Listener {
  onConnection?: (write: (text: string) => void) => void;
  onData?: (text: string) => void;
}

async function listen(port: number, { onConnection, onData }: Listener = {}): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => onData?.(data.toString("latin1")));
    onConnection?.((text) => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return server;
}

describe("restart of the embedded Redis", () => {
  it("data, port and passwords survive a restart, and a later preferred port is ignored", async ({
    start,
    preferredPort,
  }) => {
    const first = await start();
    expect(first).toMatchObject({ port: preferredPort, adopted: false });
    await ask(first, "HSET", "lock:orders:42", "worker-1", "2");
    await first.stop();

    const second = await start({ preferredPort: await findFreePort() });
    expect(second).toMatchObject({
      port: preferredPort,
      adopted: false,
      url: first.url,
      appUrl: first.appUrl,
    });
    expect(await ask(second, "HGETALL", "lock:orders:42")).toEqual(["worker-1", "2"]);
  });

  it("an append-only file truncated by a crash is loaded", async ({ start, dataDir }) => {
    const first = await start();
    await ask(first, "SET", "kept", "yes");
    await first.stop();
    await appendFile(await findLogFile(dataDir, ".incr.aof"), "*3\r\n$3\r\nSET\r\n$4\r\nha");

    expect(await ask(await start(), "GET", "kept")).toBe("yes");
  });
});

it("the embedded Redis listens on loopback only, logs every write and enables only the needed notifications", async ({
  start,
  dataDir,
}) => {
  const redis = await start();
  const setting = async (name: string) => ((await ask(redis, "CONFIG", "GET", name)) as [string, string])[1];
  expect(await setting("bind")).toBe("127.0.0.1");
  expect(await setting("appendonly")).toBe("yes");
  expect(await setting("appendfsync")).toBe("everysec");
  expect(await setting("save")).toBe("");
  expect(await setting("dir")).toBe(dataDir);
  expect([...(await setting("notify-keyspace-events"))].sort()).toEqual([..."Kghszxe$"].sort());
});

describe("stop of the embedded Redis", () => {
  it("stop leaves no process, takes about a second at most and can be called twice", async ({ start }) => {
    const redis = await start();
    const before = performance.now();
    await Promise.all([redis.stop(), redis.stop()]);
    expect(performance.now() - before).toBeLessThan(1_200);
    expect(isRunning(redis.pid)).toBe(false);
  });

  it("stop kills a server that does not respond", async ({ start }) => {
    const redis = await start();
    sendSignal(redis.pid, "SIGSTOP");
    const before = performance.now();
    await redis.stop();
    expect(performance.now() - before).toBeLessThan(1_500);
    expect(isRunning(redis.pid)).toBe(false);
  });

  it("the server ends when the process exits without calling stop", async ({ startElsewhere }) => {
    const { pid } = await startElsewhere("exits");
    expect(await waitUntilGone(pid, 1_000)).toBe(true);
  });
});

describe("embedded Redis left by an earlier run", () => {
  it("a server left by a killed run is adopted with its data and ended by stop", async ({
    startElsewhere,
    start,
  }) => {
    const orphan = await startElsewhere("is killed");
    expect(isRunning(orphan.pid)).toBe(true);
    await ask(orphan, "SET", "kept", "yes");

    const redis = await start();
    expect(redis).toMatchObject({ adopted: true, pid: orphan.pid, port: orphan.port });
    expect(await ask(redis, "GET", "kept")).toBe("yes");
    await redis.stop();
    expect(isRunning(orphan.pid)).toBe(false);
  });

  it("a server that another process uses is left running", async ({ start, startElsewhere }) => {
    const redis = await start();
    expect(await startElsewhere("exits")).toEqual({ pid: redis.pid, port: redis.port, url: redis.url });
    // Redis checks ten times per second whether it must shut down.
    await sleep(250);
    expect(isRunning(redis.pid)).toBe(true);
  });

  it("a hanging server is reported with its kill command instead of starting a second one on its files", async ({
    startElsewhere,
    start,
  }) => {
    const orphan = await startElsewhere("is killed");
    sendSignal(orphan.pid, "SIGSTOP");
    onTestFinished(() => sendSignal(orphan.pid, "SIGKILL"));
    await expect(start()).rejects.toThrow(`\`kill -9 ${orphan.pid}\``);
  });
});

it("a process that listens on the port of a killed server is not sent the password", async ({
  startElsewhere,
  start,
  dataDir,
}) => {
  const orphan = await startElsewhere("is killed");
  sendSignal(orphan.pid, "SIGKILL");
  await waitUntilGone(orphan.pid, 2_000);
  let received = "";
  await listen(orphan.port, { onData: (text) => (received += text) });

  const redis = await start();
  expect(redis.port).not.toBe(orphan.port);
  const { password } = new URL((await readEmbeddedUrl(dataDir, "lockkeeper")) ?? "");
  expect(received).not.toBe("");
  expect(received).not.toContain(password);
});

it("of several concurrent starts, one starts the server and the others adopt it", async ({ start }) => {
  const all = await Promise.all([start(), start(), start()]);
  expect(new Set(all.map((redis) => redis.pid)).size).toBe(1);
  expect(all.filter((redis) => !redis.adopted)).toHaveLength(1);
});

describe("port in use", () => {
  it.for<[string, (port: number) => Promise<unknown>]>([
    ["a silent program", (port) => listen(port)],
    [
      "a web server",
      (port) => listen(port, { onConnection: (write) => write("HTTP/1.1 400 Bad Request\r\n\r\n") }),
    ],
    [
      "another Redis",
      async (port) => {
        const other = await startTestRedis({ port });
        onTestFinished(() => other.stop());
      },
    ],
    [
      "another Redis with a password",
      async (port) => {
        const other = await startTestRedis({ port, password: "secret" });
        onTestFinished(() => other.stop());
      },
    ],
  ])(
    "a port taken by %s is reported and replaced by another port that is kept",
    async ([_name, take], { preferredPort, start }) => {
      await take(preferredPort);
      const lines: string[] = [];
      const first = await start({ onProgress: (line) => lines.push(line) });
      expect(first.port).not.toBe(preferredPort);
      expect(lines.join()).toContain(`Port ${preferredPort} is taken`);
      await first.stop();
      expect((await start()).port).toBe(first.port);
    },
  );
});

describe("startup errors of the embedded Redis", () => {
  const catchMessage = async (starting: Promise<unknown>) => {
    const error = await starting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartupError);
    const { message } = error as StartupError;
    expect(message).not.toContain("\n");
    return message;
  };

  it("an unwritable data directory is reported in one line", async ({ dataDir, start }) => {
    const file = join(dataDir, "file");
    await writeFile(file, "");
    const message = await catchMessage(start({ dataDir: join(file, "redis") }));
    expect(message).toContain(join(file, "redis"));
    expect(message).toContain("REDIS_URL");
  });

  it("unreadable data is reported with the last error of Redis and its log file", async ({
    start,
    dataDir,
  }) => {
    await (await start()).stop();
    const file = await findLogFile(dataDir, ".manifest");
    await writeFile(file, "not a manifest\n");
    const message = await catchMessage(start());
    const reason = file.endsWith(".manifest") ? /manifest/i : /bad file format/i;
    expect(message).toMatch(reason);
    expect(message).toContain(join(dataDir, "redis.log"));
    expect(await readFile(join(dataDir, "redis.log"), "utf8")).toMatch(reason);
  });

  it("a server binary that cannot be run is reported", async ({ start, binary, dataDir }) => {
    expect(await catchMessage(start({ binary: { ...binary, path: join(dataDir, "nothing") } }))).toContain(
      "ENOENT",
    );
  });
});
