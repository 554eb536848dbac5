import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { AuditEntry } from "../../lib/contract/audit.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import {
  CHANGING_HOLDER_RULES,
  type ChangingHolder,
  createChangingHolders,
  type LibraryHold,
} from "../../test/support/changing-holders.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { createSeededRandom } from "../../test/support/seeded-random.ts";
import { startTestProxy } from "../../test/support/test-proxy.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

const RACES = 1000;
/** Number of rounds that run in parallel. Each round has a race for one lock of each kind. */
const LANES = 10;

/**
 * Delay of Redis replies in ms. The delay is long enough for a holder to change between any two steps of a
 * force-release. Notifications have a longer delay, so that they arrive after the replies.
 */
const DELAY_MS = 2;
const NEWS_DELAY_MS = 80;

const it = redisTest()
  .extend("proxy", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const proxy = await startTestProxy(redis.port);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend("server", { scope: "file" }, async ({ proxy }, { onCleanup }) => {
    const server = await startTestServer({
      environment: { LOCKKEEPER_LOG: "silent" },
      file: () => ({
        targets: [
          {
            name: "main",
            redis: `redis://127.0.0.1:${proxy.port}`,
            formats: CHANGING_HOLDER_RULES,
          },
        ],
      }),
    });
    onCleanup(() => server.stop());
    return server;
  })
  .extend("holders", { scope: "file" }, ({ server, direct, proxy }) => {
    proxy.getDelayMs = (name) => (name === "subscriber" ? NEWS_DELAY_MS : DELAY_MS);
    return createChangingHolders(server, direct);
  });

/** A hold that an operator has seen, identified by its version. */
interface Seen {
  readonly key: string;
  readonly expectedVersion: string;
}

/** An attempt to release a hold, and the outcome or error code in the response. */
interface Try {
  readonly requestId: string;
  readonly key: string;
  readonly code: string;
}

/** Reads the lock as an operator would, and returns the version of the hold. */
async function readSeen(server: TestServer, { key, name }: LibraryHold): Promise<string> {
  let reply = await server.call(`/locks/${encodeKeyPath(key)}`);
  // Retries, because Redis may appear to be unreachable on a busy machine.
  await waitUntil(async () => {
    if (reply.status === 503) reply = await server.call(`/locks/${encodeKeyPath(key)}`);
    return reply.status !== 503;
  }, 15_000);
  const all: { owner: string; version: string }[] = reply.body.holders;
  return all.find(({ owner }) => owner === name)?.version ?? reply.body.version;
}

/**
 * Moving average of the duration of a single force-release, in ms. The times of changes and releases are random
 * multiples of this duration.
 */
let clickMs = 5;

async function clickOne(server: TestServer, { key, expectedVersion }: Seen): Promise<Try> {
  const startedAt = performance.now();
  const body = { expectedVersion, reason: "stuck" };
  const answer = await server.call(`/locks/${encodeKeyPath(key)}/force-release`, { body });
  clickMs += (performance.now() - startedAt - clickMs) / 20;
  return {
    requestId: answer.headers.get("x-request-id") ?? "",
    key,
    code: answer.body.outcome ?? answer.body.code,
  };
}

async function clickAll(server: TestServer, items: readonly Seen[]): Promise<Try[]> {
  const body = { items, reason: "stuck" };
  let answer = await server.call("/locks/force-release", { body });
  // Retries after 503, because Redis may appear to be unreachable on a busy machine. Nothing was done in that case.
  for (const giveUpAt = performance.now() + 15_000; answer.status === 503 && performance.now() < giveUpAt; )
    answer = await server.call("/locks/force-release", { body });
  expect([answer.status, answer.status === 200 ? "" : answer.body]).toEqual([200, ""]);
  const requestId = answer.headers.get("x-request-id") ?? "";
  const lines = String(answer.body).trim().split("\n");
  return lines.flatMap((line) => {
    const { type, item, outcome, problem } = JSON.parse(line);
    return type === "item" ? [{ requestId, key: item.key, code: problem?.code ?? outcome }] : [];
  });
}

/** The result of a race: whether the release or the change of the holder came first, or what was wrong. */
type RaceResult = "the hold was freed" | "the hold had changed" | `wrong: ${string}`;

function toRaceResult(wasThere: boolean, isNextHeld: boolean, tries: readonly Try[]): RaceResult {
  const codes = tries.map(({ code }) => code);
  const freed = codes.filter((code) => code === "released").length;
  const isSaid = codes.every((code) => ["released", "already_gone", "changed", "unverified"].includes(code));
  if (tries.length !== 2 || !isSaid) return `wrong: answered ${codes}`;
  if (!isNextHeld) return `wrong: a hold that nobody saw was freed, answered ${codes}`;
  if (freed !== (wasThere ? 0 : 1)) return `wrong: there was ${wasThere}, answered ${codes}`;
  return wasThere ? "the hold had changed" : "the hold was freed";
}

/**
 * Runs a race for one lock of each kind: reads the lock, and then releases it with a single and a bulk force-release
 * while its holder changes.
 */
async function round(
  { server, holders }: { server: TestServer; holders: Readonly<Record<string, ChangingHolder>> },
  name: string,
  chance: () => number,
  tried: Try[],
): Promise<RaceResult[]> {
  const soon = () => sleep(chance() * clickMs);
  const later = () => sleep(chance() * 3 * clickMs);
  const readings = await Promise.all(
    Object.entries(holders).map(async ([kind, holder]) => {
      const held = await holder.acquire(`lock:${kind}:${name}`);
      return { holder, held, seen: { key: held.key, expectedVersion: await readSeen(server, held) } };
    }),
  );
  const locks = await Promise.all(
    readings.map(async ({ holder, ...lock }) => {
      const changed = holder.changes === "before" ? await holder.change(lock.held) : undefined;
      return { holder, changed, ...lock };
    }),
  );
  const inBulk = clickAll(
    server,
    locks.map(({ seen }) => seen),
  );
  const results = locks.map(async ({ holder, seen, held, changed }) => {
    const [one, all, { next, wasThere }] = await Promise.all([
      changed === undefined ? soon().then(() => clickOne(server, seen)) : clickOne(server, seen),
      inBulk,
      changed ?? later().then(() => holder.change(held)),
    ]);
    const tries = [one, ...all.filter(({ key }) => key === seen.key)];
    const result = toRaceResult(wasThere, await holder.isHeld(next), tries);
    tried.push(...tries);
    if (holder.changes === "meanwhile") return result;
    // A release with the current version succeeds, which shows that only the change of the holder prevented the first
    // release.
    const last = await clickOne(server, { ...seen, expectedVersion: await readSeen(server, next) });
    tried.push(last);
    return last.code === "released" ? result : (`wrong: ${last.code} after another look` as const);
  });
  return await Promise.all(results);
}

async function recorded(server: TestServer): Promise<AuditEntry[]> {
  const { body } = await server.call("/audit/export");
  return String(body)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).entry);
}

/** Returns the outcome of each force-release in the audit log, with its request id and key. */
function recordedAnswers(entries: readonly AuditEntry[]): string[] {
  const outcomes = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.kind !== "outcome") continue;
    outcomes.set(entry.id, [...(outcomes.get(entry.id) ?? []), entry.outcome.code]);
  }
  return entries.flatMap((entry) => {
    if (entry.kind !== "intent" || entry.action !== "force_release") return [];
    return [`${entry.requestId} ${entry.key} ${outcomes.get(entry.id)?.join(" and ") ?? "open"}`];
  });
}

it(`in ${RACES} races with changing holders, single and bulk force-releases end no unseen hold; each is audited`, async ({
  server,
  holders,
}) => {
  const rounds = Math.ceil(RACES / Object.keys(holders).length);
  const chance = createSeededRandom(7);
  const tried: Try[] = [];
  const results: RaceResult[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun < rounds)
      results.push(...(await round({ server, holders }, String(begun++), chance, tried)));
  };
  await Promise.all(Array.from({ length: LANES }, lane));

  expect(results.filter((result) => result.startsWith("wrong"))).toEqual([]);
  expect(results.length).toBeGreaterThanOrEqual(RACES);
  // Both results must be frequent. Otherwise, there were no real races.
  expect(results.filter((result) => result === "the hold was freed").length).toBeGreaterThan(RACES / 20);
  expect(results.filter((result) => result === "the hold had changed").length).toBeGreaterThan(RACES / 4);
  const isOpen = (answer: string) => answer.endsWith(" open");
  await waitUntil(async () => !recordedAnswers(await recorded(server)).some(isOpen));
  const answers = tried.map(({ requestId, key, code }) => `${requestId} ${key} ${code}`);
  expect(recordedAnswers(await recorded(server)).sort()).toEqual(answers.sort());
}, 120_000);
