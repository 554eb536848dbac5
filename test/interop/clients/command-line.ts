import { fileURLToPath } from "node:url";
import { startMonitor } from "../../support/redis-monitor.ts";
import { runCli } from "../../support/run-cli.ts";
import { startTestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { assert, expect } from "../figures.ts";
import { acquireLock, releaseLock } from "../hand-offs.ts";
import { Peer } from "../peer.ts";
import type { Tools } from "../prepared.ts";
import { startPython } from "../python-peer.ts";
import type { Client } from "./client.ts";
import { startRedisson } from "./redisson.ts";

const NPM_PEER = fileURLToPath(new URL("../workers/npm-peer.ts", import.meta.url));

interface Holder {
  readonly key: string;
  readonly kind: string;
  readonly start: (tools: Tools, url: string) => Promise<Peer>;
}

const HOLDERS: readonly Holder[] = [
  { key: "lock:cli:redisson", kind: "hash", start: ({ redisson }, url) => startRedisson(redisson, url) },
  {
    key: "lock:cli:redlock",
    kind: "string",
    start: ({ npm }, url) =>
      Peer.start("redlock 5", process.execPath, ["--import", "tsx", NPM_PEER, "redlock5", url, npm.dir]),
  },
  {
    key: "lock:cli:redis-py",
    kind: "string",
    start: ({ redisPy }, url) => startPython("redis-py", redisPy, "redis_py_peer.py", url),
  },
];

/**
 * Runs `lockkeeper ls` and `show` without a server, on locks that three libraries hold. Uses MONITOR to prove that they
 * write nothing.
 */
export const commandLine: Client = {
  name: "lockkeeper ls --redis",
  needs: ["redisson", "npm", "redisPy"],
  async run({ tools, note }) {
    const server = await startTestRedis();
    const stop = addCleanUp(() => server.stop());
    const { url } = server;
    const redis = server.createClient();
    const peers: Peer[] = [];
    try {
      for (const { key, start } of HOLDERS) {
        const peer = await start(tools, url);
        peers.push(peer);
        await acquireLock({ peer, who: "a" }, key, 0);
      }
      const owners = await Promise.all(HOLDERS.map(({ key, kind }) => readOwner(key, kind)));
      const monitor = await startMonitor(url);
      const listed = await runCli(["ls", "--redis", url, "--match", "lock:cli:*", "--json"]);
      expect("the exit code of ls", [listed.code, listed.stderr], [0, ""]);
      const locks = listed.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { key: string; format: string; holders: { owner: string }[] });
      const found = HOLDERS.map(({ key }) => locks.find((lock) => lock.key === key)?.holders[0]?.owner);
      expect("the owners that ls shows", found, owners);
      for (const [at, { key }] of HOLDERS.entries()) {
        const shown = await runCli(["show", key, "--redis", url]);
        assert(shown.stdout.includes(owners[at] ?? key), () => `show ${key}: ${shown.stdout}${shown.stderr}`);
      }
      expect("the writes that MONITOR shows", await monitor.listWrites(), []);
      monitor.stop();
      note(`${locks.map(({ key, format }) => `${key} ${format}`).join(", ")}; no write`);
      for (const [at, { key }] of HOLDERS.entries()) {
        const peer = peers[at];
        if (peer === undefined) continue;
        const { outcome } = await releaseLock({ peer, who: "a" }, key);
        expect(`the release of ${key} by its holder`, outcome, "released");
      }
    } finally {
      for (const peer of peers) peer.end();
      await stop();
    }

    async function readOwner(key: string, kind: string): Promise<string> {
      const owner = kind === "hash" ? (await redis.hkeys(key))[0] : await redis.get(key);
      assert(owner !== undefined && owner !== null, () => `${key} is not held`);
      return owner;
    }
  },
};
