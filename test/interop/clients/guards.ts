import { Redis } from "ioredis";
import { startTestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { startMariadb } from "../databases/mariadb.ts";
import { startPostgresql } from "../databases/postgresql.ts";
import { expect } from "../figures.ts";
import type { GuardedStore } from "../guards/guard.ts";
import {
  connectMariadb,
  countAffectedRows,
  type MariadbAddress,
  openMariadbStore,
} from "../guards/mariadb.ts";
import type { StoreAddress } from "../guards/open.ts";
import { connectPostgresql, openPostgresqlStore } from "../guards/postgresql.ts";
import { openRedisStore } from "../guards/redis.ts";
import { proveStaleWriterRefused } from "../guards/stale-writer.ts";
import { writeInterleaved } from "../guards/writers.ts";
import { startOurs } from "../ours.ts";
import { formatReason, Skip } from "../skip.ts";
import type { NpmTool } from "../steps/npm.ts";
import type { Client, ClientContext } from "./client.ts";

/** Tests the guard in docs/guards/redis.lua. */
export const guardRedis: Client = {
  name: "guard redis",
  needs: [],
  async run(bench) {
    await withRedis(async (url) => {
      await prove(openRedisStore(url), { kind: "redis", url }, url, bench);
    });
  },
};

/** Tests the guards in docs/guards/postgresql.sql. */
export const guardPostgresql: Client = {
  name: "guard postgresql",
  needs: ["npm", "postgresql"],
  async run(bench) {
    const { npm, postgresql } = bench.tools;
    const knock = async (host: string, user: string) => (await connectPostgresql(npm, { host, user })).end();
    const server = await startPostgresql(postgresql, knock).catch(throwSkip);
    const address = { host: server.host, user: server.user };
    try {
      const store = await openPostgresqlStore(npm, address);
      await withRedis((url) => prove(store, { kind: "postgresql", npm, address }, url, bench));
    } finally {
      await server.stop();
    }
  },
};

/** Tests the guards in docs/guards/mysql.sql on MariaDB. */
export const guardMariadb: Client = {
  name: "guard mariadb",
  needs: ["npm", "mariadb"],
  async run(bench) {
    const { npm, mariadb } = bench.tools;
    const knock = async (socketPath: string) => (await connectMariadb(npm, { socketPath })).end();
    const server = await startMariadb(mariadb, knock).catch(throwSkip);
    const address = { socketPath: server.socketPath };
    try {
      const store = await openMariadbStore(npm, address);
      await countRows(npm, address, store, bench);
      await withRedis((url) => prove(store, { kind: "mariadb", npm, address }, url, bench));
    } finally {
      await server.stop();
    }
  },
};

// A database server that cannot be started counts as not available.
function throwSkip(error: unknown): never {
  throw new Skip(formatReason(error));
}

async function withRedis(work: (url: string) => Promise<void>): Promise<void> {
  const redis = await startTestRedis();
  const stop = addCleanUp(() => redis.stop());
  try {
    await work(redis.url);
  } finally {
    await stop();
  }
}

async function prove(
  store: GuardedStore,
  address: StoreAddress,
  url: string,
  bench: ClientContext,
): Promise<void> {
  await store.create("existing");
  bench.note(await writeInterleaved(store, "existing", store.ways));
  const ways = store.ways.filter((way) => !way.startsWith("update"));
  bench.note(`a resource that is new: ${await writeInterleaved(store, "new", ways)}`);
  const workers = { stopped: await startOurs(url, "the first"), next: await startOurs(url, "the next") };
  const redis = new Redis(url);
  try {
    for (const worker of Object.values(workers)) {
      await worker.ask("open", [encodeURIComponent(JSON.stringify(address))]);
    }
    bench.note(await proveStaleWriterRefused(redis, workers, store));
  } finally {
    for (const worker of Object.values(workers)) worker.end();
    redis.disconnect();
    await store.close();
  }
}

/**
 * Verifies the statements of docs/fencing.md about affected rows: which numbers an application gets, and when they are
 * misleading.
 */
async function countRows(
  npm: NpmTool,
  address: MariadbAddress,
  store: GuardedStore,
  bench: ClientContext,
): Promise<void> {
  await store.create("counted");
  const found: Record<string, number[]> = {};
  for (const counting of ["changed rows", "found rows"] as const) {
    const connection = await connectMariadb(npm, address, { database: "guard", counting });
    for (const sql of ["update", "upsert"] as const) {
      const id = sql === "update" ? "counted" : `counted ${counting}`;
      const counts: number[] = [];
      const base = counting === "changed rows" ? 10 : 20;
      for (const [fence, value] of [
        [base, "x"],
        [base, "x"],
        [base + 1, "x"],
        [base, "late"],
      ] as const) {
        counts.push(await countAffectedRows(connection, sql, [id, String(fence), value]));
      }
      found[`${sql}, ${counting}`] = counts;
    }
    await connection.end();
  }
  expect("rows affected by a write, the same again, a higher fence, a stale one", found, {
    "update, changed rows": [1, 1, 1, 0],
    "upsert, changed rows": [1, 2, 2, 0],
    "update, found rows": [1, 1, 1, 0],
    "upsert, found rows": [1, 2, 2, 1],
  });
  bench.note(
    "rows affected are as docs/fencing.md says, refused upserts on a connection with FOUND_ROWS included",
  );
}
