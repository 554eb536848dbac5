import type { NpmTool } from "../steps/npm.ts";
import type { GuardedWriter } from "./guard.ts";
import { connectMariadb, type MariadbAddress, mariadbWriter } from "./mariadb.ts";
import { connectPostgresql, type PostgresqlAddress, postgresqlWriter } from "./postgresql.ts";
import { redisWriter } from "./redis.ts";

/** Where a worker process finds a guarded store. */
export type StoreAddress =
  | { readonly kind: "redis"; readonly url: string }
  | { readonly kind: "postgresql"; readonly npm: NpmTool; readonly address: PostgresqlAddress }
  | { readonly kind: "mariadb"; readonly npm: NpmTool; readonly address: MariadbAddress };

export async function openWriter(store: StoreAddress): Promise<GuardedWriter> {
  if (store.kind === "redis") return redisWriter(store.url);
  if (store.kind === "postgresql") {
    return postgresqlWriter(await connectPostgresql(store.npm, store.address));
  }
  return mariadbWriter(await connectMariadb(store.npm, store.address, { database: "guard" }));
}
