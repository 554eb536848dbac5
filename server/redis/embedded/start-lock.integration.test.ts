import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contendForStaleLocks } from "../../../test/support/stale-locks.ts";

const TIMEOUT_MS = 120_000;

test("starts that take over the lock of a killed start never hold it at the same time", {
  timeout: TIMEOUT_MS,
}, async ({ onTestFinished }) => {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-start-lock-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const imported = 'import { withStartLock } from "./server/redis/embedded/start-lock.ts";';
  const { overlaps, acquired, expected } = await contendForStaleLocks(dir, imported, "withStartLock");
  expect({ overlaps, acquired }).toEqual({ overlaps: [], acquired: expected });
});
