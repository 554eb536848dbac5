import type { Redis as IoRedis } from "ioredis";
import { test } from "vitest";
import type { ForceReleaseInput } from "../../../lib/contract/actions/force-release.ts";
import type { AcquireInput } from "../../../lib/contract/actions/verb.ts";
import type { LockEvent } from "../../../lib/contract/event.ts";
import type { Lock } from "../../../lib/contract/lock.ts";
import { encodeKeyPath } from "../../../lib/keys/key.ts";
import { createTestKey } from "../../support/test-locks.ts";
import { type ApiReply, startTestServer, waitUntil } from "../../support/test-server.ts";
import { type Connection, Redis } from "./clients.ts";

/** The console's API on a separate Redis, as an operator uses it. */
export interface Operator {
  readonly url: string;
  readonly port: number;
  /** Opens a connection to inspect Redis. */
  direct(): IoRedis;
  /** Opens a connection for a library, by default to the Redis of the console. `stop()` closes it. */
  connection(url?: string): Connection;
  /** Returns the lock from the list, once it is there, or once it satisfies `holds`. */
  findListed(key: string, holds?: (lock: Lock) => boolean): Promise<Lock>;
  readLock(key: string): Promise<Lock>;
  /** Acquires a lock like an application with an API key. */
  acquire(key: string, input: Partial<AcquireInput>): Promise<ApiReply>;
  forceRelease(
    key: string,
    ask: Omit<Partial<ForceReleaseInput>, "reason"> & { expectedVersion: string },
  ): Promise<ApiReply>;
  /** Reads type and owner of the events of a key, oldest first. */
  readHistory(key: string): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Starts the API. @param file returns the content of the configuration file for the URL of the Redis; by default, there
 * is one target with one Redis
 */
export async function startOperator(file?: (url: string) => object): Promise<Operator> {
  const server = await startTestServer(file === undefined ? {} : { file });
  const connections: Connection[] = [];
  const call = server.call.bind(server);
  return {
    url: server.redis.url,
    port: server.redis.port,
    direct: () => server.redis.createClient(),
    connection(url = server.redis.url) {
      const connection = new Redis(url);
      connection.on("error", () => undefined);
      connections.push(connection);
      return connection;
    },
    async findListed(key, holds = () => true) {
      let found: Lock | undefined;
      await waitUntil(async () => {
        const { items } = (await call(`/locks?filter=${encodeURIComponent(key)}`)).body as { items: Lock[] };
        found = items.find((lock) => lock.key === key);
        return found !== undefined && holds(found);
      });
      if (found === undefined) throw new Error(`${key} is not listed`);
      return found;
    },
    readLock: async (key) => (await call(`/locks/${encodeKeyPath(key)}`)).body,
    acquire: async (key, input) => await call(`/locks/${encodeKeyPath(key)}/acquire`, { body: input }),
    forceRelease: async (key, ask) =>
      await call(`/locks/${encodeKeyPath(key)}/force-release`, {
        body: { reason: "its node is lost", ...ask },
      }),
    async readHistory(key) {
      const { items } = (await call(`/locks/${encodeKeyPath(key)}/history`)).body as { items: LockEvent[] };
      return items.toReversed().map(({ type, owner }) => `${type} ${owner}`);
    },
    async stop() {
      for (const connection of connections) connection.disconnect();
      await server.stop();
    },
  };
}

/** Returns the result of a promise: the name of its value, or that of the error. */
export function getOutcomeName(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "done",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

/** Measures the time until a promise settles. */
export async function measureMs(promise: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await promise;
  return performance.now() - began;
}

/** Tests of an operator's API on a temporary Redis: `connection` is a library's connection to it. */
export function operatorTest() {
  return test
    .extend("operator", { scope: "file" }, async ({}, { onCleanup }) => {
      const operator = await startOperator();
      onCleanup(() => operator.stop());
      return operator;
    })
    .extend("connection", { scope: "file" }, ({ operator }) => operator.connection())
    .extend("key", () => createTestKey());
}
