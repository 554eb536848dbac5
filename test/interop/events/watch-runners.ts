import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../children.ts";

/** The folder of the sample programs that the server offers for download. */
export const SAMPLES = fileURLToPath(new URL("../../../public/samples", import.meta.url));
const TSX = import.meta.resolve("tsx");
const BUILD_MS = 120_000;

/** The command that starts a `watch-events` program. */
export interface WatchRunner {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

export const shellWatcher: WatchRunner = {
  name: "watch-events.sh",
  command: ["bash", join(SAMPLES, "watch-events.sh")],
};

export const typescriptWatcher: WatchRunner = {
  name: "watch-events.mts",
  command: [process.execPath, "--import", TSX, join(SAMPLES, "watch-events.mts")],
};

export const createPythonWatcher = (python: string): WatchRunner => ({
  name: "watch_events.py",
  command: [python, join(SAMPLES, "watch_events.py")],
});

export const createJavaWatcher = (java: string): WatchRunner => ({
  name: "WatchEvents.java",
  command: [java, join(SAMPLES, "WatchEvents.java")],
});

/** Checks and builds the Go program, and calls `work` with its command. */
export async function withGoWatcher(go: string, work: (runner: WatchRunner) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-watch-"));
  try {
    const [source, program] = [join(SAMPLES, "watchevents.go"), join(dir, "watchevents")];
    await run(go, ["vet", source], { cwd: dir, limitMs: BUILD_MS });
    await run(go, ["build", "-o", program, source], { cwd: dir, limitMs: BUILD_MS });
    await work({ name: "watchevents.go", command: [program] });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
