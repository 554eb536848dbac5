import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

interface Started {
  readonly child: ChildProcess;
  readonly printed: { out: string; error: string };
}

/** Leaves out other lock servers and Redisson, which would be downloaded if they are not installed. */
// Next's route handler is too slow on a machine that runs other tests at the same time.
const ALONE = {
  LOCKKEEPER_BENCH_ETCD: "none",
  LOCKKEEPER_BENCH_WEBDIS: "none",
  LOCKKEEPER_BENCH_NEXT: "none",
  LOCKKEEPER_BENCH_REDISSON: "none",
};

function start(args: readonly string[], env = ALONE): Started {
  const child = spawn(process.execPath, ["--import", "tsx", MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const printed = { out: "", error: "" };
  child.stdout.on("data", (chunk) => {
    printed.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    printed.error += chunk;
  });
  return { child, printed };
}

async function run(...args: string[]) {
  return await waitForExit(start(args));
}

async function waitForExit({ child, printed }: Started) {
  const [code] = await once(child, "close");
  return { code, ...printed };
}

function listServers(pid: number | undefined): number[] {
  const list = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const lines = list.split("\n").map((line) => line.trim().split(/\s+/));
  const servers = lines.filter(([, parent, path = ""]) => parent === String(pid) && path.endsWith("-server"));
  return servers.map(([server]) => Number(server));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("npm run bench", () => {
  it("prints a figure as one line of JSON on standard output, and the rest on standard error", async () => {
    const { code, out, error } = await run("core", "--only", "core.commands.pair", "--quick");
    expect(error).toContain("core.commands.pair");
    expect(code).toBe(0);
    const [line = "", ...rest] = out.split("\n");
    expect(rest).toEqual([""]);
    const { figure, unit, ours, vs, conditions } = JSON.parse(line);
    expect([figure, unit]).toEqual(["core.commands.pair", "commands/pair"]);
    expect(conditions.theirs).toEqual({ raw: 3, redlock: 4, "redis-semaphore": 3 });
    expect(vs.raw).toBeCloseTo(ours / 3, 2);
    // Verbs that are issued in the same turn of the event loop share one script call.
    expect(conditions.byCommand.ours.evalsha).toBeLessThan(2);
  });

  it("measures pairs, commands and hand-offs of a kind of lock, and lists who was left out", {
    timeout: 120_000,
  }, async () => {
    const { code, out, error } = await run("core.kinds.semaphore", "core.kinds.latch", "--quick");
    expect({ code, error: code === 0 ? "" : error }).toEqual({ code: 0, error: "" });
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ figure, unit }) => `${figure.slice("core.kinds.".length)} ${unit}`)).toEqual([
      "semaphore.pairs.c1 pairs/s",
      "semaphore.pairs.c64 pairs/s",
      "semaphore.commands commands/pair",
      "semaphore.redis.cpu µs/pair",
      "semaphore.handoff.p50 ms",
      "semaphore.handoff.p99 ms",
      "semaphore.shared.c64 pairs/s",
      "latch.wake.p50 ms",
      "latch.wake.p99 ms",
    ]);
    for (const { ours, conditions } of lines) {
      expect(ours).toBeGreaterThan(0);
      expect(conditions.leftOut).toEqual({ redisson: "LOCKKEEPER_BENCH_REDISSON is none" });
    }
    expect(lines[3].conditions.commandsPerPair.ours).toBe(lines[2].ours);
  });

  it("measures the API over HTTP beside a bare handler, and lists who was left out", {
    timeout: 120_000,
  }, async () => {
    const { code, out, error } = await run("http", "--quick");
    expect({ code, error: code === 0 ? "" : error }).toEqual({ code: 0, error: "" });
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ figure, unit }) => `${figure} ${unit}`)).toEqual([
      "http.pairs.c1 pairs/s",
      "http.pairs.c32 pairs/s",
      "http.cpu ms/request",
      "http.pairs.c256 pairs/s",
      "http.mem.waiter bytes",
      "http.mem.stream bytes",
      "http.force.p99 ms",
      "http.busy.p99 ms",
    ]);
    const busy = lines.pop();
    for (const value of [busy.ours, busy.vs.quiet, busy.conditions.bareVsQuiet])
      expect(value).toBeGreaterThan(0);
    const forced = lines.pop();
    expect(forced.ours).toBeGreaterThan(0);
    expect(forced.vs.release).toBeCloseTo(forced.ours / forced.conditions.theirs.release, 1);
    for (const { figure, ours, vs, conditions } of lines) {
      // With so few locks, a garbage collection may free more memory than the locks use.
      const least = figure.startsWith("http.mem") ? -Infinity : 0;
      for (const value of [ours, vs.bare, conditions.theirs.bare]) expect(value).toBeGreaterThan(least);
      expect(error).toContain(`| ${ours} | bare ${vs.bare} (${conditions.theirs.bare})`);
    }
    const [{ vs, conditions }] = lines;
    expect(vs).not.toHaveProperty("next");
    expect(conditions.leftOut.next).toBe("LOCKKEEPER_BENCH_NEXT is none");
    for (const name of ["etcd", "webdis"]) expect(conditions.leftOut[name]).toMatch(/^not available here: /);
    for (const name of ["server", "generator", "redis"]) {
      expect(conditions.coresUsed[name].ours).toBeGreaterThan(0);
    }
  });

  it("measures the others when a contender fails, reports it, and exits with 1", {
    timeout: 120_000,
  }, async () => {
    const started = start(["--only", "http.pairs.c1", "--quick"], {
      ...ALONE,
      LOCKKEEPER_BENCH_ETCD: "/bin/false",
    });
    const { code, out, error } = await waitForExit(started);
    expect({ code, error: code === 1 ? "" : error }).toEqual({ code: 1, error: "" });
    const [line, failure] = out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(line.vs.bare).toBeGreaterThan(0);
    expect(failure).toMatchObject({ figure: "http.pairs.c1", contender: "etcd" });
    expect(error).toContain(`FAILED http.pairs.c1, etcd: ${failure.failed}`);
  });

  it("measures when a change reaches the tabs, while others make changes", {
    timeout: 120_000,
  }, async () => {
    const { code, out, error } = await run("--only", "watch.lag.p99.1tab", "--quick");
    expect({ code, error: code === 0 ? "" : error }).toEqual({ code: 0, error: "" });
    const { figure, unit, ours, conditions } = JSON.parse(out);
    expect([figure, unit]).toEqual(["watch.lag.p99.1tab", "ms"]);
    expect(conditions.arrivals).toBe(20);
    expect(ours).toBeGreaterThanOrEqual(conditions.p50Ms);
    expect(conditions.byRound[0].changesPerSecond).toBeGreaterThan(500);
    expect(conditions.byRound[0].bytesPerSecondATab).toBeGreaterThan(0);
  });

  it("lists its figures, those on demand too", async () => {
    const { code, out } = await run("watch", "--list");
    expect(code).toBe(0);
    const listed = out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(listed).toContainEqual({ figure: "watch.idle", isOnDemand: false });
    expect(listed).toContainEqual({ figure: "watch.mirror.bytes.1m", isOnDemand: true });
  });

  it.each([
    ["core.pairs.c65", ["--only", "core.pairs.c65"]],
    ["disk", ["disk"]],
  ])("exits with 2 and lists what is valid, asked for %s", async (name, args) => {
    const { code, out, error } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toMatch(`"${name}": core`);
  });

  it("npm run bench leaves no server running when it is interrupted", async () => {
    const { child, printed } = start(["--only", "core.renew.10k", "--quick"]);
    while (!printed.error.includes("holds for")) await once(child.stderr ?? child, "data");
    const servers = listServers(child.pid);
    expect(servers).toHaveLength(1);
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(143);
    // After the benchmark exits, its zombie children are adopted by another process, which takes a moment to reap them.
    await expect.poll(() => servers.filter(isAlive), { timeout: 3000 }).toEqual([]);
  });
});
