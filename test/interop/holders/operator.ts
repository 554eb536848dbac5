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

/** The console's API on a Redis of its own, as an operator uses it. */
export interface Operator {
  readonly url: string;
  readonly port: number;
  /** A connection of ours, for looking at what is in Redis. */
  direct(): IoRedis;
  /** A connection for a library, to the Redis of the console by default; closed at `stop()`. */
  connection(url?: string): Connection;
  /** The lock as the list has it, once it is there, or as `holds` wants it. */
  findListed(key: string, holds?: (lock: Lock) => boolean): Promise<Lock>;
  readLock(key: string): Promise<Lock>;
  /** As an app with an API key does. */
  acquire(key: string, input: Partial<AcquireInput>): Promise<ApiReply>;
  forceRelease(
    key: string,
    ask: Omit<Partial<ForceReleaseInput>, "reason"> & { expectedVersion: string },
  ): Promise<ApiReply>;
  /** Type and owner of the events of a key, oldest first. */
  readHistory(key: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** @param file what the configuration file says, with the URL of the Redis; a target of one Redis by default */
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

/** What a promise comes to: its value's name, or the name of the error. */
export function getOutcomeName(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "done",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

/** How long a promise takes from now on. */
export async function measureMs(promise: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await promise;
  return performance.now() - began;
}

/** Tests of an operator's API on a throwaway Redis: `connection` is a library's connection to it. */
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
