import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

interface Started {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly printed: { out: string; error: string };
}

function start(...args: string[]): Started {
  const child = spawn(process.execPath, ["--import", "tsx", MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
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
  const { child, printed } = start(...args);
  const [code] = await once(child, "close");
  return { code, ...printed };
}

function serversOf(pid: number | undefined): number[] {
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
  it("npm run bench prints one JSON line per figure on stdout and everything else on stderr", async () => {
    const { code, out, error } = await run("core", "--only", "core.commands.pair", "--quick");
    expect(error).toContain("core.commands.pair");
    expect(code).toBe(0);
    const [line = "", ...rest] = out.split("\n");
    expect(rest).toEqual([""]);
    const { figure, unit, ours, vs, conditions } = JSON.parse(line);
    expect([figure, unit]).toEqual(["core.commands.pair", "commands/pair"]);
    expect(conditions.theirs).toEqual({ raw: 3, redlock: 4, "redis-semaphore": 3 });
    expect(vs.raw).toBeCloseTo(ours / 3, 2);
    expect(conditions.byCommand.ours.evalsha).toBe(2);
  });

  it("npm run bench http compares the API with a bare handler and lists the servers it left out", {
    timeout: 60_000,
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
    ]);
    const forced = lines.pop();
    expect(forced.ours).toBeGreaterThan(0);
    expect(forced.vs.release).toBeCloseTo(forced.ours / forced.conditions.theirs.release, 1);
    for (const { figure, ours, vs, conditions } of lines) {
      // So few are held here that what a collection finds elsewhere may weigh as much.
      const least = figure.startsWith("http.mem") ? -Infinity : 0;
      for (const value of [ours, vs.bare, conditions.theirs.bare]) expect(value).toBeGreaterThan(least);
      expect(error).toContain(`| ${ours} | bare ${vs.bare} (${conditions.theirs.bare})`);
    }
    const [{ vs, conditions }] = lines;
    for (const name of ["next", "etcd", "webdis"])
      expect({ ...vs, ...conditions.leftOut }).toHaveProperty(name);
    for (const name of ["server", "generator", "redis"]) {
      expect(conditions.coresUsed[name].ours).toBeGreaterThan(0);
    }
  });

  it("npm run bench measures how long a change takes to reach open tabs while other locks change", {
    timeout: 60_000,
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

  it.each([
    ["core.pairs.c65", ["--only", "core.pairs.c65"]],
    ["disk", ["disk"]],
  ])(
    "npm run bench exits with code 2 and lists the valid names for the unknown name %s",
    async (name, args) => {
      const { code, out, error } = await run(...args);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(error).toMatch(`"${name}": core`);
    },
  );

  it("npm run bench leaves no server running when it is interrupted", async () => {
    const { child, printed } = start("--only", "core.renew.10k", "--quick");
    while (!printed.error.includes("holds for")) await once(child.stderr ?? child, "data");
    const servers = serversOf(child.pid);
    expect(servers).toHaveLength(1);
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(143);
    // Whoever adopts what is dead takes a moment to notice.
    await expect.poll(() => servers.filter(isAlive), { timeout: 3000 }).toEqual([]);
  });
});
