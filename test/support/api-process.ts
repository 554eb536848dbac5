import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { waitUntil } from "./test-server.ts";

const SERVER_SCRIPT = fileURLToPath(new URL("./workers/api-server.ts", import.meta.url));

export interface ApiProcess {
  readonly url: string;
  readonly pid: number;
  /** Returns the standard error output of the server so far. */
  readonly readLog: () => string;
  stop(): Promise<void>;
}

/** Starts a server without the console in a separate process. */
export async function startApiProcess(environment: Readonly<Record<string, string>>): Promise<ApiProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", SERVER_SCRIPT], {
    env: { ...process.env, PORT: "0", ...environment },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let port: unknown;
  let logged = "";
  child.once("message", (told) => {
    port = told;
  });
  child.stderr?.on("data", (chunk) => {
    logged += chunk;
  });
  const ended = once(child, "exit");
  await waitUntil(() => {
    if (child.exitCode !== null) throw new Error(`It ended before it began:\n${logged}`);
    return port !== undefined;
  }, 25_000);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    readLog: () => logged,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
