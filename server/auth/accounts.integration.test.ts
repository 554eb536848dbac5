import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { Access } from "../../lib/contract/access.ts";
import { homeTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { RateLimitedError } from "../errors/request-errors.ts";
import { AccountDirectory } from "./account-directory.ts";
import { ApiKeyVerifier } from "./api-key-verifier.ts";
import { ApiKeys } from "./api-keys.ts";
import { createRoleGrants } from "./grant.ts";
import { LastUseTracker } from "./last-use-tracker.ts";
import { LoginThrottle } from "./login-throttle.ts";
import type { Principal } from "./principal.ts";

const ACCOUNTS_KEY = "{lockkeeper}:accounts";

/** `openDirectory` opens the account directory in a new home store. */
const it = homeTest()
  .extend(
    "openDirectory",
    ({ openHome }) =>
      async () =>
        await AccountDirectory.open(await openHome()),
  )
  .extend("throttle", async ({ openHome }) => new LoginThrottle(await openHome()));

const writeField = (to: AccountDirectory, field: string, text: string) =>
  to.update(() => ({ changes: [[field, text]], result: undefined }));
const readFields = ({ accounts }: AccountDirectory) => Object.fromEntries(accounts.fields);

describe("account book", () => {
  it("concurrent account changes of several instances are all kept", async ({ direct, openDirectory }) => {
    const books = [await openDirectory(), await openDirectory(), await openDirectory()];
    await Promise.all(
      books.flatMap((each, at) => [0, 1, 2, 3].map((n) => writeField(each, `key:${at}-${n}`, `${at}-${n}`))),
    );
    await Promise.all(books.map((each) => each.refreshShared()));
    for (const each of books) expect(Object.keys(readFields(each))).toHaveLength(12);
    expect(await direct.hlen(ACCOUNTS_KEY)).toBe(13);
  });

  it("an account change applies to the stored state, not to the instance's copy", async ({
    direct,
    openDirectory,
  }) => {
    const [one, two] = [await openDirectory(), await openDirectory()];
    await writeField(one, "key:a", "1");
    const seen = await two.update(({ fields }) => ({
      changes: [["key:a", `${fields.get("key:a")}2`]],
      result: fields.get("key:a"),
    }));
    expect([seen, await direct.hget(ACCOUNTS_KEY, "key:a")]).toEqual(["1", "12"]);
  });

  it("a store that lost its data or its last changes is restored by the most recent instance", async ({
    direct,
    openDirectory,
  }) => {
    const [knowing, behind] = [await openDirectory(), await openDirectory()];
    await writeField(knowing, "key:a", "good");
    const backup = await direct.hgetall(ACCOUNTS_KEY);
    await behind.refreshShared();
    await writeField(knowing, "key:a", "revoked");
    for (const lose of [() => direct.flushall(), () => direct.hset(ACCOUNTS_KEY, backup)]) {
      await lose();
      await Promise.all([behind.refreshShared(), knowing.refreshShared()]);
      await waitUntil(async () => (await direct.hget(ACCOUNTS_KEY, "key:a")) === "revoked");
      await behind.refreshShared();
      expect(readFields(behind)).toEqual({ "key:a": "revoked" });
    }
    await writeField(behind, "key:b", "new");
    await knowing.refreshShared();
    expect(readFields(knowing)).toEqual({ "key:a": "revoked", "key:b": "new" });
  });
});

describe("known API key during a home store outage", () => {
  it("a known API key still reads, locks for a while, and is refused actions that must be audited", async ({
    redis,
    openHome,
  }) => {
    const opened = await openHome();
    const known = await AccountDirectory.open(opened);
    const uses = new LastUseTracker(opened);
    const root: Principal = {
      kind: "key",
      id: "root",
      name: "key:root",
      grants: createRoleGrants({ "*": "admin" }),
    };
    const input = {
      name: "app",
      verbs: [...Access.options],
      targets: ["*"],
      keys: ["*"],
      expiresAt: null,
      holdsMax: null,
      bytesMax: null,
    };
    const { secret } = await new ApiKeys(known, uses).create(input, root);
    const ring = new ApiKeyVerifier(known, uses, 3000);
    const asked = async (access: Access) => (await ring.authenticate(secret, access))?.name;
    expect(await Promise.all(Access.options.map(asked))).toEqual(Array(4).fill("key:app"));
    await redis.kill();
    await waitUntil(() => !known.isFresh);
    expect([await asked("read"), await asked("lock")]).toEqual(["key:app", "key:app"]);
    for (const access of ["force", "admin"] as const)
      await expect(asked(access)).rejects.toBeInstanceOf(UnavailableError);
    await waitUntil(() => known.ageMs > 3000);
    await expect(asked("lock")).rejects.toBeInstanceOf(UnavailableError);
    expect(await asked("read")).toBe("key:app");
    await redis.restart();
    await waitUntil(async () => (await asked("force").catch(() => undefined)) === "key:app");
    expect(await asked("lock")).toBe("key:app");
  });
});

describe("login throttling", () => {
  const wait = async (throttle: LoginThrottle, name: string, address: string) => {
    try {
      await throttle.startAttempt(name, address);
      return 0;
    } catch (error) {
      if (error instanceof RateLimitedError) return error.facts.remainingMs;
      throw error;
    }
  };
  /** Moves the time of all login attempts `ms` into the past. */
  const age = async (direct: Redis, ms: number) => {
    for (const key of await direct.keys("{lockkeeper}:tries:*")) {
      const [tries, at] = (await direct.get(key))?.split(" ") ?? [];
      await direct.set(key, `${tries} ${Number(at) - ms}`, "KEEPTTL");
    }
  };

  it("wait times double per failed login, up to a minute per address, and refused attempts do not count", async ({
    direct,
    throttle,
  }) => {
    for (let tries = 0; tries < 5; tries++) expect(await wait(throttle, "mei", "10.0.0.1")).toBe(0);
    const waits: number[] = [];
    for (let tries = 0; tries < 8; tries++) {
      const waitMs = await wait(throttle, "mei", "10.0.0.1");
      waits.push(Math.round(waitMs / 1000));
      for (let again = 0; again < 5; again++) await wait(throttle, "mei", "10.0.0.1");
      await age(direct, waitMs + 1);
      expect(await wait(throttle, "mei", "10.0.0.1")).toBe(0);
    }
    // From the tenth attempt on, attempts for the name are delayed too, no matter from which address.
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(waits.slice(5)).toEqual([32, 60, 60]);
  });

  it("failed logins from everywhere do not lock the owner out of a known address", async ({
    direct,
    throttle,
  }) => {
    const first = await throttle.startAttempt("mei", "10.0.0.1");
    await first.recordSuccess();
    for (let n = 0; n < 60; n++) {
      await wait(throttle, "mei", `10.1.${n}.1`);
      await age(direct, 20_000);
    }
    expect(await wait(throttle, "mei", "10.2.0.1")).toBeGreaterThan(60_000);
    expect(await wait(throttle, "mei", "10.2.0.1")).toBeLessThanOrEqual(900_000);
    expect(await wait(throttle, "mei", "10.0.0.1")).toBe(0);
    expect(await wait(throttle, "zoe", "10.2.0.1")).toBe(0);
  });

  it("failed logins expire one by one, so slips of many people do not add up", async ({
    direct,
    throttle,
  }) => {
    for (let n = 0; n < 25; n++) {
      expect(await wait(throttle, `name-${n}`, "10.0.0.1")).toBe(0);
      await age(direct, 400_000);
    }
    for (let n = 0; n < 19; n++) expect(await wait(throttle, `guess-${n}`, "10.0.0.1")).toBe(0);
    await wait(throttle, "guess", "10.0.0.1");
    expect(await wait(throttle, "guess", "10.0.0.1")).toBeGreaterThan(0);
  });

  it("failed logins for many names from one network are throttled, even between successful ones", async ({
    throttle,
  }) => {
    let free = 0;
    for (let n = 0; n < 40; n++) {
      if ((await wait(throttle, `name-${n}`, `2001:db8::${n}`)) === 0) free++;
      const own = await throttle.startAttempt("own", "2001:db8::1").catch(() => undefined);
      await own?.recordSuccess();
    }
    expect(free).toBe(20);
    expect(await wait(throttle, "someone", "2001:db8:0:1::1")).toBe(0);
  });
});
