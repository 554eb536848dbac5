import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startTestRedis } from "../../../test/support/test-redis.ts";
import { isRunning, sendSignal } from "./server-process.ts";

const ROUNDS = 20;

// The threads of a killed process exit one after another. The port becomes free when the last thread has exited.
test("a killed server that is no longer running has given up its port", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const redis = await startTestRedis({ args: ["--appendonly", "yes"] });
    onTestFinished(() => redis.stop());
    sendSignal(redis.pid, "SIGKILL");
    while (isRunning(redis.pid));
    const other = createServer().listen(redis.port, "127.0.0.1");
    await expect(once(other, "listening")).resolves.toEqual([]);
    other.close();
  }
});
