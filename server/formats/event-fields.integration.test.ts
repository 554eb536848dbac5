import { expect } from "vitest";
import { formatTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";
import { forceReleaseUnscored } from "./members/force-release-members.ts";
import { createForeignHolder } from "./observation.ts";

const it = formatTest();
const OWNER = "a\tb\nc\0d";

it("an owner with tabs, line breaks and zero bytes stays one field of the event of its force-release", async ({
  direct,
  key,
  messages,
}) => {
  const by = { by: "mei", reason: "a test" };
  await direct.set(key, OWNER, "PX", 60_000);
  await LOCK_WRITERS.token.forceRelease(direct, EVENT_CHANNEL, key, { token: OWNER, fence: null, ...by });
  await direct.sadd(key, OWNER);
  const seen = {
    ...({ state: "held", key, asOf: 0, format: "medallion", type: "set", candidates: [] } as const),
    ...({ kind: "read", confidence: "certain", remainingMs: null } as const),
    holders: [createForeignHolder(OWNER)] as const,
  };
  await forceReleaseUnscored(direct, EVENT_CHANNEL, seen, { ...by, holder: undefined });
  await waitUntil(() => messages.length === 2);
  for (const message of messages) {
    const [fields = "", ...rest] = String(message).split("\n");
    expect(rest).toEqual([key]);
    const [type, , , , , , owner, actor, ...more] = fields.split("\t");
    expect([type, owner, actor, more]).toEqual(["force_released", "a b c d", JSON.stringify(by), []]);
  }
});
