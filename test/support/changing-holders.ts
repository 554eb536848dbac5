import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import type { TestServer } from "./test-server.ts";

/** One hold of a lock by a library. `name` identifies the hold in this library. */
export interface LibraryHold {
  readonly key: string;
  readonly name: string;
}

/** A library whose holder changes during a test. */
export interface ChangingHolder {
  /**
   * When the holder changes. `meanwhile`: at any time during the test. `before`: before the test, with the same owner
   * string.
   */
  readonly changes: "meanwhile" | "before";
  acquire(key: string): Promise<LibraryHold>;
  /**
   * Ends the given hold and begins the next one.
   * @returns the next hold, and whether the given hold still existed until the change
   */
  change(held: LibraryHold): Promise<{ readonly next: LibraryHold; readonly wasThere: boolean }>;
  isHeld(held: LibraryHold): Promise<boolean>;
}

const LEASE_MS = 60_000;
const getFirstReply = (replies: [unknown, unknown][] | null) => replies?.[0]?.[1];

/** Format rules for keys whose value does not identify the format. */
export const CHANGING_HOLDER_RULES = [
  { pattern: "lock:spring:*", format: "spring" },
  { pattern: "lock:redlock:*", format: "redlock" },
];

/** Creates one holder for each library, by the second segment of its keys. */
export function createChangingHolders(
  server: TestServer,
  direct: Redis,
): Readonly<Record<string, ChangingHolder>> {
  const ours: ChangingHolder = {
    changes: "meanwhile",
    async acquire(key) {
      const { body } = await server.call(`/locks/${encodeKeyPath(key)}/acquire`, { body: { owner: "me" } });
      return { key, name: body.holdId };
    },
    async change({ key, name }) {
      const { body } = await server.call(`/holds/${name}/release`, { body: {} });
      return { next: await ours.acquire(key), wasThere: body.outcome === "released" };
    },
    isHeld: async ({ name }) => (await server.call(`/holds/${name}`)).body.held === true,
  };

  const redisson: ChangingHolder = {
    changes: "meanwhile",
    async acquire(key) {
      const name = `${randomUUID()}:7`;
      await direct.multi().hset(key, name, 1).pexpire(key, LEASE_MS).exec();
      return { key, name };
    },
    async change({ key, name }) {
      const next = `${randomUUID()}:7`;
      const replies = await direct.multi().hdel(key, name).hset(key, next, 1).pexpire(key, LEASE_MS).exec();
      return { next: { key, name: next }, wasThere: getFirstReply(replies) === 1 };
    },
    isHeld: async ({ key, name }) => (await direct.hexists(key, name)) === 1,
  };

  const again: Pick<ChangingHolder, "changes" | "change"> = {
    changes: "before",
    async change(held) {
      await direct.multi().del(held.key).hset(held.key, held.name, 1).pexpire(held.key, LEASE_MS).exec();
      return { next: held, wasThere: true };
    },
  };

  /** The second of two readers. The first reader holds the lock for the whole test, so the key always exists. */
  const reader: ChangingHolder = {
    ...again,
    async acquire(key) {
      const name = `${randomUUID()}:7`;
      const other = `${randomUUID()}:1`;
      await direct.multi().hset(key, "mode", "read", other, 1, name, 1).pexpire(key, LEASE_MS).exec();
      return { key, name };
    },
    async change(held) {
      await direct.multi().hdel(held.key, held.name).hset(held.key, held.name, 1).exec();
      return { next: held, wasThere: true };
    },
    isHeld: redisson.isHeld,
  };

  const redlock: ChangingHolder = {
    changes: "meanwhile",
    async acquire(key) {
      const name = randomBytes(16).toString("hex");
      await direct.set(key, name, "PX", LEASE_MS);
      return { key, name };
    },
    async change({ key, name }) {
      const next = randomBytes(16).toString("hex");
      const replies = await direct.multi().get(key).set(key, next, "PX", LEASE_MS).exec();
      return { next: { key, name: next }, wasThere: getFirstReply(replies) === name };
    },
    isHeld: async ({ key, name }) => (await direct.get(key)) === name,
  };

  const spring: ChangingHolder = {
    changes: "before",
    async acquire(key) {
      const name = randomUUID();
      await direct.set(key, name, "PX", LEASE_MS);
      return { key, name };
    },
    async change(held) {
      await direct.multi().del(held.key).set(held.key, held.name, "PX", LEASE_MS).exec();
      return { next: held, wasThere: true };
    },
    isHeld: redlock.isHeld,
  };

  return {
    ours,
    redisson,
    "redisson-again": { ...redisson, ...again },
    reader,
    redlock,
    spring,
  };
}
