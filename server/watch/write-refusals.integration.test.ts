import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { Journal } from "../history/journal.ts";
import { openMasters } from "../redis/masters/open-masters.ts";
import { Watcher } from "./watcher.ts";

const WARN = 40;
const INFO = 30;

it("a refusal of writes is logged once when it begins and once when it ends", async () => {
  const redis = await startTestRedis();
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const masters = openMasters(redis.url);
  const options = { target: "test", watch: ["lock:*"], notifications: "off" as const };
  const watcher = new Watcher(options, masters, new Journal(), log);
  onTestFinished(async () => {
    watcher.stop();
    masters.close();
    await redis.stop();
  });
  watcher.start();
  await waitUntil(() => watcher.health().state === "live");
  const direct = redis.createClient();
  const countRefusedWrites = async () =>
    Number(/rejected_calls=(\d+)/.exec(await readMultiStats())?.[1] ?? 0);
  const readMultiStats = async () =>
    (await direct.info("commandstats")).split("\n").find((line) => line.includes("_hset:")) ?? "";
  await direct.config("SET", "min-replicas-to-write", "1");
  await waitUntil(() => watcher.health().masters[0]?.writesRefused === "no_replicas");
  const before = await countRefusedWrites();
  // Waits until Lockkeeper has retried the write and Redis has refused it again.
  await waitUntil(async () => (await countRefusedWrites()) > before);
  await direct.config("SET", "min-replicas-to-write", "0");
  await waitUntil(() => watcher.health().masters[0]?.writesRefused === undefined);
  expect(lines).toMatchObject([
    { level: WARN, reason: "no_replicas", msg: expect.stringContaining("(NOREPLICAS)") },
    { level: INFO, msg: "Redis accepts writes again" },
  ]);
});
