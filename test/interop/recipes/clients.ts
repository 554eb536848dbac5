import { startTestServer, type TestServer } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import type { Client, ClientContext } from "../clients/client.ts";
import { startMariadb } from "../databases/mariadb.ts";
import { startPostgresql } from "../databases/postgresql.ts";
import { expect } from "../figures.ts";
import type { GuardedStore } from "../guards/guard.ts";
import { connectMariadb, openMariadbStore } from "../guards/mariadb.ts";
import { connectPostgresql, openPostgresqlStore } from "../guards/postgresql.ts";
import type { Tools } from "../prepared.ts";
import { createNodeRunner, createPythonRunner, type RunRecipe } from "./recipe-runners.ts";

const RESOURCE = "stock:9";
const LATER_FENCE = String(Number.MAX_SAFE_INTEGER);

/** A language in docs/recipes.md whose programs need packages that `npm test` does not install. */
interface Language {
  readonly name: string;
  readonly needs: "pythonDatabases" | "npm";
  createRunner(tools: Tools): RunRecipe;
  readonly programs: Readonly<Record<"postgresql" | "mariadb", string>>;
}

const LANGUAGES: readonly Language[] = [
  {
    name: "Python",
    needs: "pythonDatabases",
    createRunner: (tools) => createPythonRunner(tools.pythonDatabases),
    programs: { postgresql: "guarded_postgresql.py", mariadb: "guarded_mysql.py" },
  },
  {
    name: "Node",
    needs: "npm",
    createRunner: (tools) => createNodeRunner(tools.npm),
    programs: { postgresql: "guarded-postgresql.mjs", mariadb: "guarded-mysql.mjs" },
  },
];

/** Tests the recipe of a guarded write on PostgreSQL. */
function createPostgresqlClient({ name, needs, createRunner, programs }: Language): Client {
  return {
    name: `${name} recipe on postgresql`,
    needs: [needs, "npm", "postgresql"],
    async run({ tools, note }) {
      const { npm } = tools;
      const knock = async (host: string, user: string) =>
        (await connectPostgresql(npm, { host, user })).end();
      const database = await startPostgresql(tools.postgresql, knock);
      try {
        const { host, user } = database;
        const store = await openPostgresqlStore(npm, { host, user });
        const env = {
          ...{ POSTGRESQL_DSN: `host=${host} user=${user} dbname=postgres` },
          ...{ PGHOST: host, PGUSER: user, PGDATABASE: "postgres" },
        };
        note(await proveGuard(store, createRunner(tools), programs.postgresql, env));
      } finally {
        await database.stop();
      }
    },
  };
}

/** Tests the recipe of a guarded write on MariaDB. */
function createMariadbClient({ name, needs, createRunner, programs }: Language): Client {
  return {
    name: `${name} recipe on mariadb`,
    needs: [needs, "npm", "mariadb"],
    async run({ tools, note }) {
      const { npm } = tools;
      const knock = async (socketPath: string) => (await connectMariadb(npm, { socketPath })).end();
      const database = await startMariadb(tools.mariadb, knock);
      try {
        const { socketPath } = database;
        const store = await openMariadbStore(npm, { socketPath });
        note(
          await proveGuard(store, createRunner(tools), programs.mariadb, {
            MYSQL_SOCKET: socketPath,
          }),
        );
      } finally {
        await database.stop();
      }
    },
  };
}

/** Creates a test of a program that acquires the same lock with another library and with Lockkeeper. */
const createMoveClient = (
  library: string,
  program: string,
  needs: Language["needs"],
  createRunner: Language["createRunner"],
): Client => ({
  name: `recipe: move from ${library}`,
  needs: [needs],
  run: ({ tools, note }: ClientContext) =>
    withServer(async (server) => {
      const runRecipe = createRunner(tools);
      const { status, output } = await runRecipe(program, server, { REDIS_URL: server.redis.url });
      expect("the exit status", [status, status === 0 ? "" : output], [0, ""]);
      const lines = output.replace(/\d+/, "1");
      expect(
        "the output",
        lines,
        `${library} excludes Lockkeeper\nLockkeeper excludes ${library}, fence 1\n`,
      );
      note(output.trim().replaceAll("\n", "; "));
    }),
});

export const recipeClients: readonly Client[] = [
  ...LANGUAGES.flatMap((language) => [createPostgresqlClient(language), createMariadbClient(language)]),
  createMoveClient("redis-py", "move_from_redis_py.py", "pythonDatabases", (tools) =>
    createPythonRunner(tools.pythonDatabases),
  ),
  createMoveClient("redlock", "move-from-redlock.mjs", "npm", (tools) => createNodeRunner(tools.npm)),
];

/** Proves that the program can write, and that its write is rejected once a later holder has written. */
async function proveGuard(
  store: GuardedStore,
  runRecipe: RunRecipe,
  recipe: string,
  env: Record<string, string>,
): Promise<string> {
  try {
    await store.create(RESOURCE);
    return await withServer(async (server) => {
      const first = await runRecipe(recipe, server, env);
      expect("the first run", [first.status, first.output], [0, ""]);
      const { fence, value } = await store.readStored(RESOURCE);
      expect("the value", value, "12 left");
      const later = await store.createWriter("update");
      expect("the later write", await later.write(RESOURCE, LATER_FENCE, "of a later holder"), "written");
      await later.close();
      const late = await runRecipe(recipe, server, env);
      const isRefused = /fence \d+ is stale/.test(late.output);
      expect("the late run", [late.status, isRefused], [1, true]);
      expect("the value after it", (await store.readStored(RESOURCE)).value, "of a later holder");
      return `written with fence ${fence}, refused after ${LATER_FENCE}`;
    });
  } finally {
    await store.close();
  }
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
