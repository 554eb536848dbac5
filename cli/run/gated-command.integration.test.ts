import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isRunning } from "../../server/redis/embedded/server-process.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { readEnvironment } from "../connection/environment.ts";
import { createGuardianEnvironment } from "./command-environment.ts";
import { GatedCommand, toExitCode } from "./gated-command.ts";

const CLOSED_GATE = fileURLToPath(new URL("../../test/run/closed-gate.ts", import.meta.url));
const ENVIRONMENT = createGuardianEnvironment(readEnvironment().variables);
const WITHIN_MS = 20_000;

const it = test.extend("file", async ({}, { onCleanup }) => {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-gate-"));
  onCleanup(() => rm(dir, { recursive: true }));
  return join(dir, "started");
});

describe("GatedCommand", () => {
  it("starts the command only when its gate is opened", async ({ file }) => {
    const command = ["sh", "-c", `echo > '${file}'; exit 3`];
    const gated = await GatedCommand.spawn({ command, environment: ENVIRONMENT, onDropped: () => undefined });
    expect(gated.session.hasProcesses()).toBe(true);
    expect(existsSync(file)).toBe(false);
    gated.open();
    expect(toExitCode(await gated.exited)).toBe(3);
    expect(existsSync(file)).toBe(true);
    expect(gated.session.hasProcesses()).toBe(false);
  });

  it("never starts the command if it is abandoned", async ({ file }) => {
    const command = ["touch", file];
    const gated = await GatedCommand.spawn({ command, environment: ENVIRONMENT, onDropped: () => undefined });
    await gated.abandon();
    expect(existsSync(file)).toBe(false);
  });

  it("never starts the command if the supervisor is killed before it opens the gate", async ({ file }) => {
    const supervisor = fork(CLOSED_GATE, ["touch", file], { execArgv: ["--import", "tsx"] });
    const [gate] = await once(supervisor, "message", { signal: AbortSignal.timeout(WITHIN_MS) });
    expect(isRunning(Number(gate))).toBe(true);
    supervisor.kill("SIGKILL");
    await waitUntil(() => !isRunning(Number(gate)), WITHIN_MS);
    expect(existsSync(file)).toBe(false);
  });

  it("passes variables on whose names are not valid in a shell", async ({ file }) => {
    const environment = { ...ENVIRONMENT, "dotted.name": "kept" };
    const command = [
      "sh",
      "-c",
      `cat /proc/$$/environ > '${file}'; tr '\\0' '\\n' < '${file}' | grep -q '^dotted.name=kept$'`,
    ];
    const dropped: string[] = [];
    const onDropped = (names: readonly string[]) => dropped.push(...names);
    const gated = await GatedCommand.spawn({ command, environment, onDropped });
    gated.open();
    const code = toExitCode(await gated.exited);
    // Without bash, the variables are not passed on but reported to `onDropped`.
    expect(existsSync("/bin/bash") ? { code, dropped } : { dropped }).toEqual(
      existsSync("/bin/bash") ? { code: 0, dropped: [] } : { dropped: ["dotted.name"] },
    );
  });
});
