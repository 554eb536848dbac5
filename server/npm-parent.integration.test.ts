import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { waitUntil } from "../test/support/test-server.ts";
import { isRunning } from "./redis/embedded/server-process.ts";

const WATCHER = new URL("./npm-parent.ts", import.meta.url).href;
const CHILD = `import { watchNpm } from "${WATCHER}";
const hasEnded = watchNpm();
setInterval(() => hasEnded() && process.exit(), 20);
console.log(process.pid);`;

// Runs the script like npm: in a shell that a process starts.
const npmWith = (script: string) => `const { spawn } = require("node:child_process");
spawn("/bin/sh", ["-c", ${JSON.stringify(script)}], { stdio: "inherit" });
setInterval(() => undefined, 1000);`;

it.each([
  ["stays until the server ends", '"$NODE" --import tsx --input-type=module -e "$CHILD"; true'],
  ["is replaced by the server", 'exec "$NODE" --import tsx --input-type=module -e "$CHILD"'],
])("the server notices that npm was killed when its shell %s", async (_, script) => {
  const npm = spawn(process.execPath, ["-e", npmWith(script)], {
    env: { NODE: process.execPath, CHILD, NODE_ENV: "test" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(npm.stdout), "line");
  const pid = Number(line);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isRunning(pid)).toBe(true);
  npm.kill("SIGKILL");
  await waitUntil(() => !isRunning(pid));
});
