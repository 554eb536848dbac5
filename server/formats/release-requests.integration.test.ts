import fc from "fast-check";
import { describe, expect } from "vitest";
import { RELEASE_REQUEST_TEXT_MAX } from "../../lib/contract/limits.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL, observeHeldLock } from "../../test/support/observed-lock.ts";
import { createRedissonOwner, readCompanion, WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { buildCompanionKey } from "./keys.ts";
import type { AcquireRequest } from "./lock-requests.ts";
import { LOCK_WRITERS, type LockWriter } from "./lock-writer.ts";

const it = redisTest();

const RECORD = { service: 'a "releaseRequest":0} b', purpose: "\\" };
let ids = 0;
const nextRequest = () => ({ id: `id${++ids}`, digest: "-" });

type Direct = Parameters<LockWriter["acquire"]>[0];

async function acquireHold(
  writer: LockWriter,
  direct: Direct,
  key: string,
  more: Partial<AcquireRequest> = {},
) {
  const reply = await writer.acquire(direct, EVENT_CHANNEL, key, {
    ...{ token: createRedissonOwner(), owner: "worker", leaseMs: 30_000, record: RECORD },
    ...{ graceMs: 0, minHoldMs: 0, unit: "ms", receivesReleaseRequests: true },
    ...nextRequest(),
    ...more,
  });
  if (reply.outcome !== "granted") throw new Error(reply.outcome);
  return { token: reply.token, fence: reply.fence };
}

const ASK = { requestId: "rr_1", by: "mei", reason: 'a "migration", at 3\u2028' };
const REQUESTED = {
  ...{ requestId: "rr_1", requestedBy: "mei", reason: ASK.reason, state: "requested", answerText: null },
};

describe.each(WRITABLE_FORMATS)("release requests in %s", (format) => {
  const writer = LOCK_WRITERS[format];

  it("renewals, re-entries, verifications and repeated acquires return the request, and keep it", async ({
    direct,
    key,
  }) => {
    const ask = { token: createRedissonOwner(), ...nextRequest(), digest: "d" };
    const hold = await acquireHold(writer, direct, key, ask);
    const before = await readCompanion(direct, key);
    expect(before).toMatchObject({ receivesReleaseRequests: true, record: RECORD });
    const reply = await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK });
    expect(reply).toMatchObject({ outcome: "requested", request: REQUESTED });
    const renew = { ...hold, leaseMs: undefined };
    for (const call of [writer.renew, writer.reenter])
      expect(
        await call.call(writer, direct, EVENT_CHANNEL, key, { ...renew, ...nextRequest() }),
      ).toMatchObject({ outcome: "granted", releaseRequested: REQUESTED });
    expect(await writer.verify(direct, key, hold)).toMatchObject({ releaseRequested: REQUESTED });
    const repeated = await writer.acquire(direct, EVENT_CHANNEL, key, {
      ...{ ...ask, owner: "worker", leaseMs: 30_000, record: RECORD, retryMs: 5 },
      ...{ graceMs: 0, minHoldMs: 0, unit: "ms" },
    });
    expect(repeated).toMatchObject({ how: "repeated", releaseRequested: REQUESTED });
    await writer.renewMany(direct, EVENT_CHANNEL, [{ key, ...hold, leaseMs: 30_000 }]);
    expect(await readCompanion(direct, key)).toMatchObject({
      ...{ fence: hold.fence, record: RECORD, owner: "worker", releaseRequested: REQUESTED },
    });
    const [holder] = (await observeHeldLock(direct, key)).holders;
    expect(holder).toMatchObject({ receivesReleaseRequests: true, releaseRequested: REQUESTED });
  });

  it("a request is refused for another hold, for a client that does not receive requests, and for a free key", async ({
    direct,
    key,
  }) => {
    const hold = await acquireHold(writer, direct, key, { receivesReleaseRequests: false });
    const request = (more: object = {}) =>
      writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK, ...more });
    const companion = await direct.get(String(buildCompanionKey(key)));
    expect(await request()).toEqual({ outcome: "unsupported" });
    expect(await request({ fence: String(Number(hold.fence) - 1) })).toEqual({ outcome: "changed" });
    expect(await request({ token: createRedissonOwner() })).toEqual({ outcome: "changed" });
    expect(await direct.get(String(buildCompanionKey(key)))).toBe(companion);
    const declare = { ...hold, leaseMs: undefined, receivesReleaseRequests: true, ...nextRequest() };
    await writer.renew(direct, EVENT_CHANNEL, key, declare);
    expect(await readCompanion(direct, key)).toMatchObject({ receivesReleaseRequests: true, record: RECORD });
    expect(await request()).toMatchObject({ outcome: "requested" });
    await writer.renew(direct, EVENT_CHANNEL, key, { ...declare, ...nextRequest() });
    expect(await readCompanion(direct, key)).toMatchObject({ releaseRequested: REQUESTED });
    await writer.release(direct, EVENT_CHANNEL, key, { ...hold, ...nextRequest() });
    expect(await request()).toEqual({ outcome: "gone" });
  });

  it("the request ends with the hold", async ({ direct, key }) => {
    const hold = await acquireHold(writer, direct, key);
    await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK });
    await writer.release(direct, EVENT_CHANNEL, key, { ...hold, ...nextRequest() });
    const next = await acquireHold(writer, direct, key);
    const companion = await readCompanion(direct, key);
    expect([companion?.fence, companion?.releaseRequested]).toEqual([next.fence, undefined]);
    const answer = { ...ASK, answer: "accepted", text: undefined } as const;
    const reply = await writer.answerReleaseRequest(direct, EVENT_CHANNEL, key, { ...next, ...answer });
    expect(reply).toEqual({ outcome: "changed" });
  });

  it("the first answer counts, only its principal can answer, and a new request replaces it", async ({
    direct,
    key,
  }) => {
    const hold = { ...(await acquireHold(writer, direct, key, { principal: "key_1" })), principal: "key_1" };
    await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK });
    const answer = (more: object = {}) =>
      writer.answerReleaseRequest(direct, EVENT_CHANNEL, key, {
        ...{ ...hold, requestId: ASK.requestId, answer: "refused", text: 'until "5",null]' },
        ...more,
      });
    expect(await answer({ principal: "key_2" })).toEqual({ outcome: "not_owner" });
    expect(await answer({ principal: "" })).toEqual({ outcome: "not_owner" });
    expect(await answer({ fence: "1" })).toEqual({ outcome: "lost" });
    expect(await answer({ requestId: "rr_0" })).toEqual({ outcome: "changed" });
    const request = { ...REQUESTED, state: "refused", answerText: 'until "5",null]' };
    expect(await answer()).toMatchObject({ outcome: "answered", request });
    expect(await answer({ text: undefined })).toMatchObject({ outcome: "answered", request });
    expect(await answer({ answer: "accepted" })).toEqual({ outcome: "changed" });
    await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK });
    expect(await readCompanion(direct, key)).toMatchObject({ releaseRequested: request });
    await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK, requestId: "rr_2" });
    expect(await answer({ answer: "accepted" })).toEqual({ outcome: "changed" });
    expect(await answer({ requestId: "rr_2", answer: "accepted", text: undefined })).toMatchObject({
      request: { ...REQUESTED, requestId: "rr_2", state: "accepted" },
    });
  });

  it("an expired hold receives no request, not even during its grace period", async ({ direct, key }) => {
    const hold = await acquireHold(writer, direct, key, { leaseMs: 10, graceMs: 30_000 });
    await expect
      .poll(async () => (await writer.verify(direct, key, hold)).outcome, { interval: 5 })
      .toBe("lost");
    const reply = await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK });
    expect(reply).toEqual({ outcome: "gone" });
  });
});

it("the largest texts fit, and a companion without room for them is not changed", async ({ direct, key }) => {
  const writer = LOCK_WRITERS.token;
  const wide = "持".repeat(200);
  const record = { service: wide, host: wide, purpose: wide, trace: wide };
  const ask = { requestId: "rr_1", by: "持".repeat(68), reason: "持".repeat(RELEASE_REQUEST_TEXT_MAX) };
  const owner = "👷".repeat(256);
  const hold = await acquireHold(writer, direct, key, { record, owner, principal: "key_0123456789abcdef" });
  const request = { ...ask, ...hold };
  expect(await writer.requestRelease(direct, EVENT_CHANNEL, key, request)).toMatchObject({
    outcome: "requested",
  });
  const answer = { answer: "refused", text: "持".repeat(RELEASE_REQUEST_TEXT_MAX) } as const;
  const answered = { ...hold, requestId: "rr_1", principal: "key_0123456789abcdef", ...answer };
  await writer.answerReleaseRequest(direct, EVENT_CHANNEL, key, answered);
  for (let n = 0; n < 30; n++) {
    const renew = { ...hold, leaseMs: undefined, principal: answered.principal };
    const long = { id: String(n).padStart(128, "r"), digest: "d".repeat(16) };
    await writer.renew(direct, EVENT_CHANNEL, key, { ...renew, ...long });
    expect(await readCompanion(direct, key)).toMatchObject({
      releaseRequested: { reason: ask.reason, state: "refused", answerText: answer.text },
    });
  }
  await writer.release(direct, EVENT_CHANNEL, key, {
    ...hold,
    ...nextRequest(),
    principal: answered.principal,
  });
  const full = await acquireHold(writer, direct, key, { record, owner, principal: owner });
  const before = await direct.get(String(buildCompanionKey(key)));
  const refused = await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...ask, ...full });
  expect(refused).toEqual({ outcome: "unsupported" });
  expect(await direct.get(String(buildCompanionKey(key)))).toBe(before);
});

it("any record, reason and answer are read as they were written", async ({ direct, key }) => {
  const writer = LOCK_WRITERS.token;
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  const property = fc.asyncProperty(text, text, text, fc.boolean(), async (service, reason, said, late) => {
    const record = service === "" ? undefined : { service };
    const hold = await acquireHold(writer, direct, key, { record, receivesReleaseRequests: !late });
    const declare = { ...hold, leaseMs: undefined, receivesReleaseRequests: true, ...nextRequest() };
    if (late) await writer.renew(direct, EVENT_CHANNEL, key, declare);
    const request = { ...hold, requestId: "rr_1", by: "mei", reason };
    await writer.requestRelease(direct, EVENT_CHANNEL, key, request);
    const answer = { ...hold, requestId: "rr_1", answer: "accepted", text: said } as const;
    await writer.answerReleaseRequest(direct, EVENT_CHANNEL, key, answer);
    expect(await readCompanion(direct, key)).toMatchObject({
      ...{ record, releaseRequested: { reason, state: "accepted", answerText: said } },
    });
    await writer.release(direct, EVENT_CHANNEL, key, { ...hold, ...nextRequest() });
  });
  await fc.assert(property, { numRuns: 150 });
});

it("an unanswered request is sent on the channel of its client, again with each renewal", async ({
  direct,
  redis,
  key,
}) => {
  const writer = LOCK_WRITERS.redisson;
  const hold = await acquireHold(writer, direct, key);
  const listener = redis.createClient();
  const messages: string[] = [];
  listener.on("message", (_, message: string) => messages.push(message));
  await listener.subscribe(`lockkeeper:client:${hold.token.split(":")[0]}`);
  await writer.requestRelease(direct, EVENT_CHANNEL, key, { ...hold, ...ASK });
  const renew = () => writer.renewMany(direct, EVENT_CHANNEL, [{ key, ...hold, leaseMs: 30_000 }]);
  await renew();
  await expect.poll(() => messages.length).toBe(2);
  // Version 0.2.0 reads the first field as the fencing token of a force-released hold, so the field must not be a
  // number.
  expect(messages[1]?.split("\t").slice(0, 3)).toEqual(["release_requested", hold.fence, hold.token]);
  await writer.answerReleaseRequest(direct, EVENT_CHANNEL, key, {
    ...{ ...hold, requestId: ASK.requestId, answer: "accepted", text: undefined },
  });
  await renew();
  await direct.publish(`lockkeeper:client:${hold.token.split(":")[0]}`, "last");
  await expect.poll(() => messages.at(-1)).toBe("last");
  expect(messages).toHaveLength(3);
});
