import { expect, test } from "vitest";
import { startTestCluster } from "../../test/support/cluster.ts";
import { runCli } from "../../test/support/run-cli.ts";
import { startTestSentinel } from "../../test/support/test-sentinel.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";

const TIMEOUT_MS = 60_000;

/** Reads the keys of the locks in the JSON lines of `ls`. */
const listKeys = (stdout: string): string[] => {
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).key);
};

test(
  "ls, show and doctor read every master of a cluster",
  async ({ onTestFinished }) => {
    const cluster = await startTestCluster({ masters: 3 });
    onTestFinished(() => cluster.stop());
    const keys = [0, 1, 2].map((master) => cluster.findKeyOnMaster(master, "lock:cli"));
    for (const key of keys) await acquireForeignLock(cluster.getMasterClient(key), key);
    const [seed = ""] = cluster.urls;
    const url = seed.replace("redis://", "redis-cluster://");
    const { code, stdout } = await runCli(["ls", "--redis", url, "--json"]);
    expect([code, listKeys(stdout)]).toEqual([0, keys.toSorted()]);
    expect((await runCli(["show", keys[2] ?? "", "--redis", url])).code).toBe(0);
    const doctor = await runCli(["doctor", url, "--json"]);
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      state: "live",
      server: expect.stringMatching(/^\w+ \d/),
    });
    // The URL of a single server is refused, and the error states how to write the URL of the cluster.
    const { code: wrong, stderr } = await runCli(["ls", "--redis", seed]);
    expect(wrong).toBe(125);
    expect(stderr).toContain("write --redis as redis-cluster://host:port.");
  },
  TIMEOUT_MS,
);

test(
  "ls reads the master of a Sentinel group",
  async ({ onTestFinished }) => {
    const sentinel = await startTestSentinel({ sentinels: 1, replicas: 1 });
    onTestFinished(() => sentinel.stop());
    const master = await sentinel.findMaster();
    await acquireForeignLock(master.createClient(), "lock:cli");
    const hosts = sentinel.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(",");
    const url = `redis-sentinel://${hosts}/0?master=${sentinel.name}`;
    const { code, stdout } = await runCli(["ls", "--redis", url, "--json"]);
    expect([code, listKeys(stdout)]).toEqual([0, ["lock:cli"]]);
  },
  TIMEOUT_MS,
);
