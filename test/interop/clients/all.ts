import { goInConsole } from "../console/go.ts";
import { npmInConsole } from "../console/npm.ts";
import { pythonInConsole } from "../console/python.ts";
import { redissonInConsole } from "../console/redisson.ts";
import { springInConsole } from "../console/spring.ts";
import { generatedClients } from "../generated/clients.ts";
import { goModuleClients } from "../go-module/clients.ts";
import { pythonPackageClients } from "../python-package/clients.ts";
import { recipeClients } from "../recipes/clients.ts";
import { sampleClients } from "../samples/clients.ts";
import { snippetClients } from "../snippets/clients.ts";
import type { Client } from "./client.ts";
import { commandLine } from "./command-line.ts";
import { guardMariadb, guardPostgresql, guardRedis } from "./guards.ts";
import { nginxClients } from "./nginx.ts";
import { nginxInstanceClients } from "./nginx-instances.ts";
import { clockAheadOfQuorum } from "./quorum.ts";
import { redisson } from "./redisson.ts";
import { redissonDeadlock } from "./redisson-deadlock.ts";
import { redissonFairLock } from "./redisson-fair-lock.ts";
import { redissonReadWrite } from "./redisson-read-write.ts";
import { redissonRedLock } from "./redisson-red-lock.ts";
import { redissonSharedClients } from "./redisson-shared.ts";
import { redlockClients } from "./redlock.ts";
import { tokenClients } from "./token.ts";
import { wakeUpClients } from "./wake-ups.ts";
import { watchEventsClients } from "./watch-events.ts";

/** Clients that prove mutual exclusion with other libraries. Their failures are never treated as flaky. */
export const EXCLUSION_CLIENTS: readonly Client[] = [
  redisson,
  ...tokenClients,
  ...redlockClients,
  redissonRedLock,
  clockAheadOfQuorum,
];

/** All clients, in the order in which they run. */
export const CLIENTS: readonly Client[] = [
  redisson,
  redissonFairLock,
  redissonReadWrite,
  redissonDeadlock,
  ...redissonSharedClients,
  ...tokenClients,
  ...wakeUpClients,
  redissonInConsole,
  npmInConsole,
  pythonInConsole,
  goInConsole,
  springInConsole,
  guardRedis,
  guardPostgresql,
  guardMariadb,
  ...redlockClients,
  redissonRedLock,
  clockAheadOfQuorum,
  ...snippetClients,
  ...watchEventsClients,
  ...sampleClients,
  ...goModuleClients,
  ...pythonPackageClients,
  ...recipeClients,
  ...generatedClients,
  ...nginxClients,
  ...nginxInstanceClients,
  commandLine,
];
