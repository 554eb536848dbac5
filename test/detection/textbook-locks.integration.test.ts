import { expect } from "vitest";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { serverTest } from "../support/fixtures.ts";
import { waitUntil } from "../support/test-server.ts";
import { TEXTBOOK_LOCKS } from "./textbook-locks.ts";

const it = serverTest();

it.for(TEXTBOOK_LOCKS)(
  "$name is listed, blocks the API and can be released by the version that was seen",
  async (lock, { server, direct }) => {
    const { key, value } = lock;
    await lock.acquire(direct);
    const path = `/locks/${encodeKeyPath(key)}`;
    await waitUntil(async () => {
      const { body } = await server.callUntilAvailable("/locks?limit=500");
      return body.items.some((item: { key: string }) => item.key === key);
    });
    const { state, version, release } = await server.readLock(key);
    expect(state).toBe("held");
    if (value !== undefined) {
      const { status, body } = await server.callVerb(key, "acquire", { format: "token" });
      expect([status, body.code]).toEqual([409, "held"]);
    }
    const ask = { expectedVersion: version, reason: "stuck" };
    const other = await server.call(`${path}/force-release`, {
      body: { ...ask, expectedVersion: `${version}0`, format: release.formats[0] },
    });
    expect(other.status).toBeGreaterThanOrEqual(400);
    expect(await direct.exists(key)).toBe(1);
    if (release.may === "with_format") {
      const unnamed = await server.call(`${path}/force-release`, { body: ask });
      expect([unnamed.status, unnamed.body.code]).toEqual([422, "format_required"]);
      expect(release.formats.length).toBeGreaterThan(0);
    }
    const named = release.may === "with_format" ? { ...ask, format: release.formats[0] } : ask;
    const { body } = await server.call(`${path}/force-release`, { body: named });
    expect(body).toMatchObject({ outcome: "released" });
    expect(await direct.exists(key)).toBe(0);
  },
);
