import { describe, expect, vi } from "vitest";
import { homeTest } from "../../test/support/fixtures.ts";
import { sleepMs } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { UnknownOutcomeError } from "../errors/redis-errors.ts";
import { AccountDirectory } from "./account-directory.ts";
import { RootKey } from "./root-key.ts";
import { hashSha256 } from "./secret.ts";
import { Sessions } from "./sessions.ts";

const ACCOUNTS_KEY = "{lockkeeper}:accounts";
const ROOT_KEY_HASH_KEY = "{lockkeeper}:root-key";
const BROWSER = { address: "127.0.0.1", userAgent: "test" };
const ADMIN_LINK = { name: "mei", roles: { "*": "admin" as const } };

/** `openInstance` opens the accounts and sessions in a new home store, as a new process does. */
const it = homeTest().extend("openInstance", ({ openHome }) => async (idleMs = 60_000) => {
  const home = await openHome();
  const directory = await AccountDirectory.open(home);
  return { home, directory, sessions: new Sessions(home, directory, { longestMs: 600_000, idleMs }) };
});

describe("a loss of the data in the home store", () => {
  it("is detected without requests: accounts, active sessions and the root key are written back", async ({
    direct,
    openInstance,
  }) => {
    const { home, directory, sessions } = await openInstance();
    await RootKey.open(home, undefined);
    await directory.update(() => ({ changes: [["key:a", "an API key"]], result: undefined }));
    const { secret } = await sessions.startFromLink(ADMIN_LINK, BROWSER);
    const rootKeyHash = await direct.get(ROOT_KEY_HASH_KEY);
    await direct.flushall();
    await waitUntil(async () => (await direct.get(ROOT_KEY_HASH_KEY)) !== null);
    expect(await direct.get(ROOT_KEY_HASH_KEY)).toBe(rootKeyHash);
    await waitUntil(async () => (await direct.hget(ACCOUNTS_KEY, "key:a")) === "an API key");
    await waitUntil(async () => (await direct.exists(`{lockkeeper}:session:${hashSha256(secret)}`)) === 1);
  });

  it("does not revive a session that had reached its maximum idle time", async ({ direct, openInstance }) => {
    const { home, sessions } = await openInstance(300);
    const { secret } = await sessions.startFromLink(ADMIN_LINK, BROWSER);
    await sleepMs(400);
    await direct.flushall();
    await home.ensureRestored();
    expect(await direct.keys("{lockkeeper}:session:*")).toEqual([]);
    expect(await sessions.find(secret, "act")).toBeUndefined();
  });

  it("does not extend the idle time of a session that is written back", async ({ direct, openInstance }) => {
    const { home, sessions } = await openInstance(2000);
    const { secret } = await sessions.startFromLink(ADMIN_LINK, BROWSER);
    await sleepMs(500);
    await direct.flushall();
    await home.ensureRestored();
    const remainingMs = await direct.pttl(`{lockkeeper}:session:${hashSha256(secret)}`);
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(1500);
  });

  it("does not revive a session that another instance revoked before the loss", async ({
    direct,
    openInstance,
  }) => {
    const [one, other] = [await openInstance(), await openInstance()];
    const { secret, session } = await one.sessions.startFromLink(ADMIN_LINK, BROWSER);
    await other.sessions.revoke(session.id, undefined);
    await waitUntil(() => one.directory.sessionsRevision === other.directory.sessionsRevision);
    await direct.flushall();
    await Promise.all([one.home.ensureRestored(), other.home.ensureRestored()]);
    expect(await direct.keys("{lockkeeper}:session:*")).toEqual([]);
    expect(await one.sessions.find(secret, "act")).toBeUndefined();
  });

  it("does not revive a session that another instance wrote back and then revoked", async ({
    direct,
    openInstance,
  }) => {
    const [one, other] = [await openInstance(), await openInstance()];
    const { secret, session } = await one.sessions.startFromLink(ADMIN_LINK, BROWSER);
    expect(await other.sessions.find(secret, "read")).toBeDefined();
    await direct.flushall();
    await one.home.ensureRestored();
    expect(await one.sessions.find(secret, "act")).toBeDefined();
    await one.sessions.revoke(session.id, undefined);
    await other.home.ensureRestored();
    expect(await other.sessions.find(secret, "act")).toBeUndefined();
  });
});

describe("the generated root key", () => {
  it("is shown although the reply to its first write was lost", async ({ direct, openHome }) => {
    const home = await openHome();
    const run = vi.spyOn(home, "run").mockImplementationOnce(async (command) => {
      await home.callOnce(command);
      throw new UnknownOutcomeError("The reply was lost.");
    });
    const created: string[] = [];
    const key = await RootKey.open(home, undefined, (secret) => void created.push(secret));
    run.mockRestore();
    const storedHash = await direct.get(ROOT_KEY_HASH_KEY);
    expect(storedHash).not.toBeNull();
    expect(created).toEqual([]);
    await direct.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await waitUntil(() => created.length > 0);
    expect(created.map(hashSha256)).toEqual([storedHash]);
    expect(key.authenticate(created[0] ?? "")?.id).toBe("root");
  });
});
