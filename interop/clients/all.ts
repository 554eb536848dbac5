import type { Client } from "./client.ts";
import { consoleClients } from "./console.ts";
import { guardMariadb, guardPostgresql, guardRedis } from "./guards.ts";
import { clockAheadOfQuorum } from "./quorum.ts";
import { redisson } from "./redisson.ts";
import { redlockClients } from "./redlock.ts";
import { tokenClients } from "./token.ts";

/** In the order of their lines. */
export const CLIENTS: readonly Client[] = [
  redisson,
  ...tokenClients,
  ...consoleClients,
  guardRedis,
  guardPostgresql,
  guardMariadb,
  ...redlockClients,
  clockAheadOfQuorum,
];
