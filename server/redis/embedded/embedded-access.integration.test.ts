import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePort, findTestBinary } from "../../../test/support/test-redis.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import { PROTECTED_PREFIX } from "./access-rules.ts";
import { type EmbeddedRedis, startEmbeddedRedis } from "./embedded-redis.ts";
import { launchServer } from "./server-launch.ts";
import { isRunning, sendSignal } from "./server-process.ts";

/**
 * Matches the errors with which Redis 6.2 and 7 refuse a command, inside and outside of scripts. DEBUG, and CONFIG in a
 * script, are refused for all users.
 */
const NO_PERMISSION =
  /^NOPERM|can't access|can't run|DEBUG command not allowed|not allowed from script|^ERR ACL failure in script/i;

const createDirectory = async (onCleanup: (clean: () => Promise<void>) => void) => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-embedded-")));
  onCleanup(() => rm(dir, { recursive: true, force: true }));
  return dir;
};

const start = async (dataDir: string) => {
  const redis = await startEmbeddedRedis({
    binary: await findTestBinary(),
    dataDir,
    preferredPort: await findFreePort(),
  });
  return redis;
};

/** Sends one command without a password, and returns the first line of the reply. */
const askWithoutPassword = async (port: number, command: string) => {
  const socket = connect(port, "127.0.0.1");
  socket.write(`${command}\r\n`);
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return data.toString("latin1").split("\r\n")[0];
};

const connectTo = (url: string) => {
  const client = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on("error", () => {});
  return client;
};

const it = test
  .extend("dataDir", { scope: "file" }, async ({}, { onCleanup }) => createDirectory(onCleanup))
  .extend("redis", { scope: "file" }, async ({ dataDir }, { onCleanup }): Promise<EmbeddedRedis> => {
    const redis = await start(dataDir);
    onCleanup(() => redis.stop());
    return redis;
  })
  .extend("own", { scope: "file" }, ({ redis }, { onCleanup }) => {
    const client = connectTo(redis.url);
    onCleanup(() => client.disconnect());
    return client;
  })
  .extend("app", { scope: "file" }, ({ redis }, { onCleanup }) => {
    const client = connectTo(redis.appUrl);
    onCleanup(() => client.disconnect());
    return client;
  });

describe("clients without the credential", () => {
  it("a local client without a password is refused with NOAUTH by every command", async ({ redis }) => {
    const forged = createHash("sha256").update("token").digest("hex");
    for (const command of [
      `SET ${HOME_PREFIX}login:${forged} {}`,
      "GET lock:orders:42",
      "CONFIG GET dir",
      "SCAN 0",
      "SUBSCRIBE x",
      "EVAL 'return 1' 0",
      "INFO",
    ])
      expect(await askWithoutPassword(redis.port, command), command).toMatch(/^-NOAUTH /);
    for (const command of ["AUTH anything", 'AUTH default ""', "AUTH default anything"])
      expect(await askWithoutPassword(redis.port, command), command).toMatch(/^-WRONGPASS /);
  });

  it("the arguments and the environment of the server contain no secret", async ({ redis, dataDir }) => {
    const passwords = [redis.url, redis.appUrl].map((url) => new URL(url).password);
    const { stdout } = await promisify(execFile)("ps", ["-eww", "-o", "args"]);
    const environment = await readFile(`/proc/${redis.pid}/environ`, "latin1").catch(() => "");
    const users = await readFile(join(dataDir, "users.acl"), "utf8");
    expect(stdout.includes("redis-server") || stdout.includes("valkey-server")).toBe(true);
    for (const password of passwords) {
      expect(password).toMatch(/^[\w-]{43}$/);
      for (const text of [stdout, environment, users]) expect(text.includes(password)).toBe(false);
    }
  });

  it("no other account can read the files of the embedded Redis", async ({ redis, own, dataDir }) => {
    await own.set("lock:modes", "x");
    expect((await readFile(redis.app.file, "utf8")).trim()).toBe(redis.appUrl);
    const names = ["", ...(await readdir(dataDir, { recursive: true }))];
    expect(names).toEqual(expect.arrayContaining(["users.acl", "app-redis-url", "redis.log", "server.json"]));
    expect(names.some((name) => name.includes("appendonly"))).toBe(true);
    for (const name of names) {
      const { mode } = await stat(join(dataDir, name));
      expect(mode & 0o077, name).toBe(0);
    }
  });
});

describe("the user of applications", () => {
  it("an application cannot read or write a key of Lockkeeper, nor forge a session", async ({ app, own }) => {
    const key = `${HOME_PREFIX}login:${createHash("sha256").update("token").digest("hex")}`;
    await own.set(`${HOME_PREFIX}kept`, "secret");
    const login = JSON.stringify({ name: "x", roles: { "*": "admin" } });
    for (const command of [
      ["SET", key, login],
      ["GET", `${HOME_PREFIX}kept`],
      ["DEL", `${HOME_PREFIX}kept`],
      ["RENAME", "lock:a", key],
      ["COPY", `${HOME_PREFIX}kept`, "lock:copy"],
      ["MSET", "lock:a", "1", key, login],
      ["DUMP", `${HOME_PREFIX}kept`],
      ["MEMORY", "USAGE", `${HOME_PREFIX}kept`],
      ["OBJECT", "ENCODING", `${HOME_PREFIX}kept`],
      ["EVAL", "return redis.call('SET', KEYS[1], ARGV[1])", "1", key, login],
      ["EVAL", `return redis.call('SET', '${key}', ARGV[1])`, "0", login],
      ["EVAL", `return redis.call('GET', '${HOME_PREFIX}kept')`, "0"],
      ["XREAD", "STREAMS", `${HOME_PREFIX}audit`, "0"],
      ["SORT", "lock:list", "BY", "nosort", "GET", `${HOME_PREFIX}*`],
    ] as [string, ...string[]][])
      await expect(app.call(...command), command.join(" ")).rejects.toThrow(NO_PERMISSION);
    expect(await own.exists(key)).toBe(0);
    expect(await own.get(`${HOME_PREFIX}kept`)).toBe("secret");
  });

  it("an application cannot administer, inspect or empty the server", async ({ app, own }) => {
    await own.set(`${HOME_PREFIX}kept`, "secret");
    for (const command of [
      ["FLUSHALL"],
      ["FLUSHDB"],
      ["SWAPDB", "0", "1"],
      ["CONFIG", "GET", "*"],
      ["CONFIG", "SET", "dir", "/tmp"],
      ["DEBUG", "OBJECT", "lock:a"],
      ["MODULE", "LIST"],
      ["ACL", "LIST"],
      ["ACL", "SETUSER", "app", "~*"],
      ["MONITOR"],
      ["KEYS", "*"],
      ["SHUTDOWN"],
      ["REPLICAOF", "127.0.0.1", "1"],
      ["MIGRATE", "127.0.0.1", "1", "lock:a", "0", "10"],
      ["RESTORE", "lock:a", "0", "x"],
      ["BGSAVE"],
      ["CLIENT", "LIST"],
      ["CLIENT", "KILL", "TYPE", "normal"],
      ["SLOWLOG", "GET"],
      ["EVAL", "return redis.call('FLUSHALL')", "0"],
      ["EVAL", "return redis.call('CONFIG', 'GET', 'dir')", "0"],
    ] as [string, ...string[]][])
      await expect(app.call(...command), command.join(" ")).rejects.toThrow(NO_PERMISSION);
    expect(await own.get(`${HOME_PREFIX}kept`)).toBe("secret");
  });

  it("an application acquires and releases locks with plain commands and scripts", async ({ app }) => {
    expect(await app.set("lock:plain", "me", "PX", 10_000, "NX")).toBe("OK");
    expect(await app.set("lock:plain", "you", "PX", 10_000, "NX")).toBeNull();
    const release = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end";
    expect(await app.eval(release, 1, "lock:plain", "me")).toBe(1);
    for (const key of [
      "",
      "{",
      "{lock",
      "{lockkeeper",
      "{lockkeepers}:x",
      "{orders}:lock",
      "a\nb",
      "lockkeeper:hold:{x}",
    ])
      expect(await app.set(key, "x", "PX", 1000), key).toBe("OK");
  });

  it("the commands that client libraries send on connect are allowed", async ({ app, redis }) => {
    for (const command of [
      ["INFO"],
      ["PING"],
      ["SELECT", "1"],
      ["SELECT", "0"],
      ["HELLO", "3", "AUTH", "app", new URL(redis.appUrl).password, "SETNAME", "app"],
      ["HELLO", "2"],
      ["CLIENT", "SETNAME", "orders"],
      ["CLIENT", "GETNAME"],
      ["CLIENT", "ID"],
      ["COMMAND", "COUNT"],
      ["ECHO", "x"],
      ["SCRIPT", "LOAD", "return 1"],
      ["SCAN", "0"],
      ["WAIT", "0", "0"],
      ["TIME"],
    ] as [string, ...string[]][])
      await expect(app.call(...command), command.join(" ")).resolves.toBeDefined();
    const channel = "__keyspace@0__:lock:notified";
    const listener = connectTo(redis.appUrl);
    onTestFinished(() => listener.disconnect());
    await listener.psubscribe(channel);
    const message = new Promise((resolve) => listener.once("pmessage", (_p, name) => resolve(name)));
    await app.set("lock:notified", "x", "PX", 1000);
    expect(await message).toBe(channel);
    expect(await app.publish("redisson_lock__channel:{x}", "0")).toBe(0);
  });

  it("an application can touch exactly the keys that do not begin with {lockkeeper}", async ({ app }) => {
    expect(HOME_PREFIX.startsWith(PROTECTED_PREFIX)).toBe(true);
    const near = fc
      .tuple(fc.nat(PROTECTED_PREFIX.length), fc.uint8Array({ maxLength: 6 }))
      .map(([length, rest]) => Buffer.concat([Buffer.from(PROTECTED_PREFIX.slice(0, length)), rest]));
    const changed = fc
      .tuple(fc.nat(PROTECTED_PREFIX.length - 1), fc.nat(255), fc.uint8Array({ maxLength: 4 }))
      .map(([at, byte, rest]) => {
        const key = Buffer.concat([Buffer.from(PROTECTED_PREFIX), rest]);
        key[at] = byte;
        return key;
      });
    const key = fc.oneof(
      near,
      changed,
      fc.uint8Array({ maxLength: 16 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(key, { minLength: 50, maxLength: 50 }), async (keys) => {
        const replies = await Promise.allSettled(keys.map((each) => app.exists(each)));
        const found = replies.map(({ status }) => status === "fulfilled");
        expect(found).toEqual(keys.map((each) => !each.toString("latin1").startsWith(PROTECTED_PREFIX)));
      }),
      { numRuns: 100 },
    );
  });
});

it("what scripts and transactions wrote is there after a restart", async () => {
  const dataDir = await createDirectory(onTestFinished);
  const first = await start(dataDir);
  const app = connectTo(first.appUrl);
  await app.eval("redis.call('SET', KEYS[1], '1') redis.call('SET', KEYS[2], '2')", 2, "lock:a", "lock:b");
  await app.multi().set("lock:c", "3").set("lock:d", "4").exec();
  app.disconnect();
  await first.stop();
  const second = await start(dataDir);
  onTestFinished(() => second.stop());
  const own = connectTo(second.url);
  onTestFinished(() => void own.disconnect());
  expect(await own.mget("lock:a", "lock:b", "lock:c", "lock:d")).toEqual(["1", "2", "3", "4"]);
});

describe("an embedded Redis of an earlier version", () => {
  it("a running server without a password is started again with one, and its data is kept", async () => {
    const dataDir = await createDirectory(onTestFinished);
    await chmod(dataDir, 0o755);
    const port = await findFreePort();
    const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--appendonly", "yes", "--save", ""];
    const logFile = join(dataDir, "redis.log");
    const old = await launchServer({ binary: await findTestBinary(), cwd: dataDir, args, port, logFile });
    onTestFinished(() => sendSignal(old.pid, "SIGKILL"));
    await writeFile(join(dataDir, "server.json"), JSON.stringify({ port, pid: old.pid }), { mode: 0o644 });
    const open = connectTo(`redis://127.0.0.1:${port}`);
    await open.set("kept", "yes");

    const redis = await start(dataDir);
    onTestFinished(() => redis.stop());
    expect(isRunning(old.pid)).toBe(false);
    expect(redis).toMatchObject({ port, adopted: false });
    const own = connectTo(redis.url);
    onTestFinished(() => [open, own].forEach((client) => void client.disconnect()));
    expect(await own.get("kept")).toBe("yes");
    expect(await askWithoutPassword(port, "GET kept")).toMatch(/^-NOAUTH /);
    for (const name of ["", ...(await readdir(dataDir, { recursive: true }))])
      expect((await stat(join(dataDir, name))).mode & 0o077, name).toBe(0);
  });

  it("an adopted server gets the application password of the file, even when the file was deleted", async () => {
    const dataDir = await createDirectory(onTestFinished);
    const first = await start(dataDir);
    onTestFinished(() => first.stop());
    await rm(first.app.file);
    const second = await start(dataDir);
    onTestFinished(() => second.stop());
    expect(second).toMatchObject({ adopted: true, pid: first.pid });
    expect(second.appUrl).not.toBe(first.appUrl);
    const app = connectTo(second.appUrl);
    const old = connectTo(first.appUrl);
    onTestFinished(() => [app, old].forEach((client) => void client.disconnect()));
    expect(await app.set("lock:a", randomBytes(4).toString("hex"))).toBe("OK");
    await expect(old.call("GET", "lock:a")).rejects.toThrow();
  });
});
