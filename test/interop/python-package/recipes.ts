import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT_KEY, startTestServer, type TestServer } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import type { Client, ClientContext } from "../clients/client.ts";
import { startMariadb } from "../databases/mariadb.ts";
import { startPostgresql } from "../databases/postgresql.ts";
import { expect } from "../figures.ts";
import type { GuardedStore } from "../guards/guard.ts";
import { connectMariadb, openMariadbStore } from "../guards/mariadb.ts";
import { connectPostgresql, openPostgresqlStore } from "../guards/postgresql.ts";
import { readRecipe } from "../samples/recipe-texts.ts";
import { startProgram } from "../samples/running-program.ts";
import type { PythonTool } from "../steps/python.ts";

const PACKAGE = join(import.meta.dirname, "../../../packages/python/src");
const RESOURCE = "stock:9";
const LATER_FENCE = String(Number.MAX_SAFE_INTEGER);

interface Ended {
  readonly status: number | string;
  readonly output: string;
}

/** The guarded write of docs/recipes.md in Python, on PostgreSQL. */
const postgresql: Client = {
  name: "Python recipe on postgresql",
  needs: ["pythonDatabases", "npm", "postgresql"],
  async run({ tools, note }) {
    const { npm, pythonDatabases } = tools;
    const knock = async (host: string, user: string) => (await connectPostgresql(npm, { host, user })).end();
    const database = await startPostgresql(tools.postgresql, knock);
    try {
      const { host, user } = database;
      const store = await openPostgresqlStore(npm, { host, user });
      const env = { POSTGRESQL_DSN: `host=${host} user=${user} dbname=postgres` };
      note(await proveGuard(store, pythonDatabases, "guarded_postgresql.py", env));
    } finally {
      await database.stop();
    }
  },
};

/** The guarded write of docs/recipes.md in Python, on MariaDB. */
const mysql: Client = {
  name: "Python recipe on mariadb",
  needs: ["pythonDatabases", "npm", "mariadb"],
  async run({ tools, note }) {
    const { npm, pythonDatabases } = tools;
    const knock = async (socketPath: string) => (await connectMariadb(npm, { socketPath })).end();
    const database = await startMariadb(tools.mariadb, knock);
    try {
      const { socketPath } = database;
      const store = await openMariadbStore(npm, { socketPath });
      note(await proveGuard(store, pythonDatabases, "guarded_mysql.py", { MYSQL_SOCKET: socketPath }));
    } finally {
      await database.stop();
    }
  },
};

/** redis-py and the package on the same lock, as docs/recipes.md shows. */
const redisPy: Client = {
  name: "Python recipe with redis-py",
  needs: ["pythonDatabases"],
  run: ({ tools, note }: ClientContext) =>
    withServer(async (server) => {
      const env = { REDIS_URL: server.redis.url };
      const { status, output } = await runRecipe(tools.pythonDatabases, server, "move_from_redis_py.py", env);
      expect("the exit status", [status, status === 0 ? "" : output], [0, ""]);
      const lines = output.replace(/\d+/, "1");
      expect("the output", lines, "redis-py excludes Lockkeeper\nLockkeeper excludes redis-py, fence 1\n");
      note(output.trim().replaceAll("\n", "; "));
    }),
};

export const pythonRecipeClients: readonly Client[] = [postgresql, mysql, redisPy];

/** The program writes; after a later holder has written, it is refused. */
async function proveGuard(
  store: GuardedStore,
  tool: PythonTool,
  recipe: string,
  env: Record<string, string>,
): Promise<string> {
  try {
    await store.create(RESOURCE);
    return await withServer(async (server) => {
      const first = await runRecipe(tool, server, recipe, env);
      expect("the first run", [first.status, first.output], [0, ""]);
      const { fence, value } = await store.readStored(RESOURCE);
      expect("the value", value, "12 left");
      const later = await store.createWriter("update");
      expect("the later write", await later.write(RESOURCE, LATER_FENCE, "of a later holder"), "written");
      await later.close();
      const late = await runRecipe(tool, server, recipe, env);
      const isRefused = /fence \d+ is stale/.test(late.output);
      expect("the late run", [late.status, isRefused], [1, true]);
      expect("the value after it", (await store.readStored(RESOURCE)).value, "of a later holder");
      return `written with fence ${fence}, refused after ${LATER_FENCE}`;
    });
  } finally {
    await store.close();
  }
}

async function runRecipe(
  { python, library }: PythonTool,
  { url }: TestServer,
  name: string,
  env: Record<string, string>,
): Promise<Ended> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-recipe-"));
  addCleanUp(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, name), readRecipe(`py title=${name}`));
  const program = startProgram([python, join(dir, name)], {
    cwd: dir,
    env: {
      ...process.env,
      ...env,
      PYTHONPATH: `${PACKAGE}:${library}`,
      PYTHONDONTWRITEBYTECODE: "1",
      LOCKKEEPER_URL: url,
      LOCKKEEPER_API_KEY: ROOT_KEY,
    },
  });
  const status = await program.ended;
  return { status, output: program.readOutput() + program.readComplaints() };
}

async function withServer<Result>(work: (server: TestServer) => Promise<Result>): Promise<Result> {
  const server = await startTestServer();
  const stop = addCleanUp(() => server.stop());
  try {
    return await work(server);
  } finally {
    await stop();
  }
}
