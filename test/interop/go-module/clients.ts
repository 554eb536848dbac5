import { startTestRedis } from "../../support/test-redis.ts";
import { ROOT_KEY, startTestServer, type TestServer, waitUntil } from "../../support/test-server.ts";
import type { Client } from "../clients/client.ts";
import { type RunningProgram, startProgram } from "../samples/running-program.ts";
import { readGuideProgram, readGuidePrograms } from "./guide.ts";
import { GoWorkspace } from "./installed.ts";

const WITHIN_MS = 20_000;

/** Runs the tests of the Go module against a server. */
const moduleTests: Client = {
  name: "Go module",
  needs: [],
  async run({ note }) {
    const workspace = await GoWorkspace.create();
    const server = await startTestServer();
    try {
      const output = await workspace.test({ LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY });
      const skipped = output.match(/^--- SKIP/gm) ?? [];
      if (skipped.length > 0) throw new Error(output);
      note(`${output.match(/^--- PASS/gm)?.length} tests passed`);
    } finally {
      await server.stop();
      await workspace.remove();
    }
  },
};

/**
 * Builds the programs in docs/go.md in empty modules, with the packed Go module and without network access, and runs
 * them.
 */
const guide: Client = {
  name: "Go guide",
  needs: [],
  async run({ note }) {
    const workspace = await GoWorkspace.create();
    const server = await startTestServer();
    const started: RunningProgram[] = [];
    try {
      const programs = new Map<string, string>();
      for (const [name, text] of readGuidePrograms())
        programs.set(name, await workspace.buildText(name, text));
      const env = { ...process.env, LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY };
      const start = (name: string) => {
        const path = programs.get(name);
        if (path === undefined) throw new Error(`docs/go.md has no ${name}`);
        const program = startProgram([path], { env });
        started.push(program);
        return program;
      };
      for (const [name, check] of Object.entries(CHECKS)) {
        await check(() => start(name), server);
        programs.delete(name);
      }
      if (programs.size > 0) throw new Error(`no check runs ${[...programs.keys()].join(", ")}`);
      note(`${Object.keys(CHECKS).length} programs were built from the packed module and ran`);
    } finally {
      for (const program of started) program.stop();
      await server.stop();
      await workspace.remove();
    }
  },
};

/** Restarts the server while a program holds a lock. The program must keep the lock. */
const restart: Client = {
  name: "Go server restart",
  needs: [],
  async run() {
    const workspace = await GoWorkspace.create();
    const redis = await startTestRedis();
    let server = await startTestServer({ environment: { REDIS_URL: redis.url } });
    const { port } = new URL(server.url);
    let program: RunningProgram | undefined;
    try {
      const path = await workspace.buildText(
        "release-on-request.go",
        readGuideProgram("release-on-request.go"),
      );
      program = startProgram([path], {
        env: { ...process.env, LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY },
      });
      await waitForOutput(program, /importing/);
      const [{ fence }] = (await server.readLock("lock:import")).holders;
      await server.stop();
      server = await startTestServer({ environment: { REDIS_URL: redis.url, PORT: port } });
      const restartedAt = Date.now();
      // The lease is 10 s, so after 11 s the hold exists only if it was renewed.
      await waitUntil(() => Date.now() - restartedAt > 11_000, WITHIN_MS);
      const lock = await server.readLock("lock:import");
      expect(lock.holders[0]?.fence === fence, program);
      const body = { expectedVersion: lock.version, reason: "deployment" };
      await server.callVerb("lock:import", "request-release", body);
      await expectOutput(program, /^importing\nreleased <nil>\n$/);
    } finally {
      program?.stop();
      await server.stop();
      await redis.stop();
      await workspace.remove();
    }
  },
};

export const goModuleClients: readonly Client[] = [moduleTests, guide, restart];

type Check = (start: () => RunningProgram, server: TestServer) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  "example.go": async (start) =>
    await expectOutput(start(), /^acquired lock:orders:42, fencing token \d+\n$/),
  "report.go": async (start) => {
    const first = start();
    await waitForOutput(first, /page 1 with fence \d+/);
    const second = start();
    await expectOutput(second, /^$/, 1);
    expect(/the previous run is still active: .*\(held\)/.test(second.readComplaints()), second);
    await expectOutput(first, /^(?:page \d with fence \d+\n){3}$/);
  },
  "once-per-period.go": async (start) => {
    await expectOutput(start(), /^sending invoices with fencing token \d+\n$/);
    await expectOutput(start(), /^done in this period\n$/);
  },
  "rate-limit.go": async (start) => {
    const program = start();
    await expectOutput(program, /^(?:\d+ sending mail \d+\n){12}$/);
    const times = [...program.readOutput().matchAll(/^\d+/gm)].map(Number).sort((a, b) => a - b);
    const isFast = times.some((time, index) => (times[index + 5] ?? Number.POSITIVE_INFINITY) - time < 850);
    expect(!isFast, program);
  },
  "leader.go": async (start, server) => {
    const first = start();
    await waitForOutput(first, /leading with fence \d+/);
    const second = start();
    await waitUntil(async () => (await server.readLock("lock:leader:prices")).waiters.count === 1, WITHIN_MS);
    expect(second.readOutput() === "", second);
    first.signal("SIGTERM");
    expect((await first.ended) === 0, first);
    await waitForOutput(second, /leading with fence \d+/);
    first.stop();
    const third = start();
    second.signal("SIGKILL");
    await waitForOutput(third, /leading with fence \d+/);
    third.signal("SIGINT");
    expect((await third.ended) === 0, third);
    expect((await server.readLock("lock:leader:prices")).state === "free", third);
  },
  "several-locks.go": async (start) =>
    await expectOutput(start(), /^lock:account:2 with fence \d+\nlock:account:1 with fence \d+\n$/),
  "transfer.go": async (start) => await expectOutput(start(), /^transferring with fence \d+\n$/),
  "encode.go": async (start) => await expectOutput(start(), /^encoding with fence \d+\n$/),
  "release-on-request.go": async (start, server) => {
    const program = start();
    await waitForOutput(program, /importing/);
    const { version } = await server.readLock("lock:import");
    const body = { expectedVersion: version, reason: "deployment" };
    const asked = await server.callVerb("lock:import", "request-release", body);
    expect(asked.status === 200, program);
    await expectOutput(program, /^importing\nreleased <nil>\n$/);
    const { items } = (await server.call("/history?key=lock:import")).body;
    expect(JSON.stringify(items).includes("stops after the current file"), program);
  },
};

function expect(holds: boolean, program: RunningProgram): void {
  if (!holds) throw new Error(`it printed:\n${program.readOutput()}${program.readComplaints()}`);
}

async function expectOutput(program: RunningProgram, printed: RegExp, status = 0): Promise<void> {
  const ended = await program.ended;
  expect(ended === status && printed.test(program.readOutput()), program);
}

async function waitForOutput(program: RunningProgram, printed: RegExp): Promise<void> {
  await waitUntil(() => printed.test(program.readOutput()), WITHIN_MS);
}
