import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contendForStaleLocks } from "../../test/support/stale-locks.ts";

const TIMEOUT_MS = 120_000;

test("setups that take over the lock of a killed setup never hold it at the same time", {
  timeout: TIMEOUT_MS,
}, async ({ onTestFinished }) => {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-setup-lock-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const imported = 'import { withLock } from "./scripts/steps/lock.mjs";';
  const acquire = '(path, work) => withLock(path + "/setup-lock", work)';
  const { overlaps, acquired, expected } = await contendForStaleLocks(dir, imported, acquire);
  expect({ overlaps, acquired }).toEqual({ overlaps: [], acquired: expected });
});
