import type { NpmTool } from "../steps/npm.ts";
import type { GuardedWriter } from "./guard.ts";
import { connectMariadb, createMariadbWriter, type MariadbAddress } from "./mariadb.ts";
import { connectPostgresql, createPostgresqlWriter, type PostgresqlAddress } from "./postgresql.ts";
import { createRedisWriter } from "./redis.ts";

/** The address of a guarded store, which is passed to a worker process. */
export type StoreAddress =
  | { readonly kind: "redis"; readonly url: string }
  | { readonly kind: "postgresql"; readonly npm: NpmTool; readonly address: PostgresqlAddress }
  | { readonly kind: "mariadb"; readonly npm: NpmTool; readonly address: MariadbAddress };

export async function openWriter(store: StoreAddress): Promise<GuardedWriter> {
  if (store.kind === "redis") return createRedisWriter(store.url);
  if (store.kind === "postgresql") {
    return createPostgresqlWriter(await connectPostgresql(store.npm, store.address));
  }
  return createMariadbWriter(await connectMariadb(store.npm, store.address, { database: "guard" }));
}
