import { join } from "node:path";
import { startTestRedis } from "../../support/test-redis.ts";
import { ROOT_KEY, startTestServer, waitUntil } from "../../support/test-server.ts";
import { addCleanUp, run } from "../children.ts";
import type { Client, ClientContext } from "../clients/client.ts";
import { assert, expect } from "../figures.ts";
import { startProgram } from "../samples/running-program.ts";
import type { PythonTool } from "../steps/python.ts";
import { installPythonPackage } from "./installed.ts";

const PACKAGE = join(import.meta.dirname, "../../../packages/python");
const LIMIT_MS = 240_000;

/** Runs the tests of the Python package against a server, with the installed wheel. */
const tests: Client = {
  name: "Python package",
  needs: [],
  async run({ note }) {
    const python = await installPythonPackage();
    const output = await withServer((env) =>
      run(python, ["-m", "unittest", "discover", "-t", ".", "-s", "tests"], {
        cwd: PACKAGE,
        env: { ...env, PYTHONDONTWRITEBYTECODE: "1" },
        limitMs: LIMIT_MS,
      }).catch((error: Error) => {
        throw new Error(String(error.cause));
      }),
    );
    const [ran] = /^Ran [1-9]\d* tests in .*$/m.exec(output) ?? [];
    assert(ran !== undefined, () => `it ran no tests:\n${output}`);
    note(ran);
  },
};

/** Builds the package from its sources with pip, without network access, and runs its example. */
const sources: Client = {
  name: "Python package from sources",
  needs: [],
  async run({ note }) {
    const python = await installPythonPackage("sdist");
    const example = join(PACKAGE, "examples/steps.py");
    const output = await withServer((env) => run(python, [example], { env, limitMs: LIMIT_MS }));
    assert(
      /step 5 with fence \d+\ncommand with fence \d+/.test(output),
      () => `the example printed:\n${output}`,
    );
    note((await run(python, ["--version"], { limitMs: LIMIT_MS })).trim());
  },
};

const HOLDER = `
import sys, time, lockkeeper
lockkeeper.exit_on_signals()
with lockkeeper.Client().lock(sys.argv[1], lease_s=4) as hold:
    print(hold.fence, flush=True)
    while True:
        hold.check()
        time.sleep(0.02)
`;

/** Proves that a hold survives a restart of the server and that SIGTERM to the holder releases it. */
const restart: Client = {
  name: "Python package during a restart",
  needs: [],
  async run({ note }) {
    const python = await installPythonPackage();
    const redis = await startTestRedis();
    addCleanUp(() => redis.stop());
    let server = await startTestServer({ environment: { REDIS_URL: redis.url } });
    const env = { ...process.env, LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY };
    const key = "lock:python:restart";
    const program = startProgram([python, "-c", HOLDER, key], { env });
    try {
      await waitUntil(() => program.readOutput() !== "", LIMIT_MS);
      const before = await server.readLock(key);
      await server.stop();
      const environment = { REDIS_URL: redis.url, PORT: new URL(server.url).port };
      server = await startTestServer({ environment });
      const expiresAt = performance.now() + before.remainingMs;
      await waitUntil(() => performance.now() > expiresAt, LIMIT_MS);
      const after = await server.readLock(key);
      expect("the hold after a lease", after.holders?.[0]?.fence, before.holders[0].fence);
      program.signal("SIGTERM");
      expect("the exit status", await program.ended, 143);
      expect("the lock", (await server.readLock(key)).state, "free");
      note(`${program.readComplaints().trim().split("\n").length} renewals failed meanwhile`);
    } finally {
      program.stop();
      await server.stop();
    }
  },
};

/** Checks the types of the package with the strictest settings that an application may use. */
const types: Client = {
  name: "Python package with mypy",
  needs: ["pythonGenerator"],
  run: ({ tools, note }: ClientContext) => checkTypes(tools.pythonGenerator, note),
};

async function checkTypes({ python, library }: PythonTool, note: (line: string) => void): Promise<void> {
  const env = { ...process.env, PYTHONPATH: library };
  const options = ["-m", "mypy", "--cache-dir", "/dev/null"];
  note((await run(python, options, { cwd: PACKAGE, env, limitMs: LIMIT_MS })).trim());
}

async function withServer<Result>(work: (env: NodeJS.ProcessEnv) => Promise<Result>): Promise<Result> {
  const server = await startTestServer();
  const stop = addCleanUp(() => server.stop());
  try {
    const { PYTHONPATH: _, ...env } = process.env;
    return await work({ ...env, LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY });
  } finally {
    await stop();
  }
}

export const pythonPackageClients: readonly Client[] = [tests, sources, restart, types];
