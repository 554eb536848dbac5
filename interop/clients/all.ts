import type { Client } from "./client.ts";
import { guardMariadb, guardPostgresql, guardRedis } from "./guards.ts";
import { clockAheadOfQuorum } from "./quorum.ts";
import { redisson } from "./redisson.ts";
import { redlockClients } from "./redlock.ts";
import { tokenClients } from "./token.ts";

/** In the order of their lines. */
export const CLIENTS: readonly Client[] = [
  redisson,
  ...tokenClients,
  guardRedis,
  guardPostgresql,
  guardMariadb,
  ...redlockClients,
  clockAheadOfQuorum,
];
