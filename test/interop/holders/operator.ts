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

/** A Lockkeeper server with its own Redis, used through the API as an operator would. */
export interface Operator {
  readonly url: string;
  readonly port: number;
  /** Opens a connection that inspects Redis. */
  direct(): IoRedis;
  /** Opens a connection for a library, by default to the server's Redis. `stop()` closes the connection. */
  connection(url?: string): Connection;
  /** Waits until the lock is listed and satisfies `holds`, if given, and returns the listed lock. */
  findListed(key: string, holds?: (lock: Lock) => boolean): Promise<Lock>;
  readLock(key: string): Promise<Lock>;
  /** Acquires a lock through the API, as an application does. */
  acquire(key: string, input: Partial<AcquireInput>): Promise<ApiReply>;
  forceRelease(
    key: string,
    ask: Omit<Partial<ForceReleaseInput>, "reason"> & { expectedVersion: string },
  ): Promise<ApiReply>;
  /** Returns the type and owner of each event of a key, oldest first. */
  readHistory(key: string): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Starts a server.
 *
 * @param file returns the content of the configuration file for the URL of the Redis. By default, the server has one
 * target with one Redis
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
        // A response with status 503 has no `items`.
        const { items } = (await call(`/locks?filter=${encodeURIComponent(key)}`)).body as { items?: Lock[] };
        found = items?.find((lock) => lock.key === key);
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

/** Returns `done` if a promise is fulfilled, otherwise the name of the error. */
export function getOutcomeName(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "done",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

/** Measures the time in ms until a promise is fulfilled. */
export async function measureMs(promise: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await promise;
  return performance.now() - began;
}

/**
 * Creates a test function with an operator on a temporary Redis. `connection` is a library's connection to that Redis.
 */
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
