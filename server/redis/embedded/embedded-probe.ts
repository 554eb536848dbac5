import { execFile } from "node:child_process";
import { readlink, realpath } from "node:fs/promises";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { readInfoField } from "../server-info.ts";

export type ProbeResult =
  | { kind: "ours"; pid: number }
  /** Something holds the connection open and says nothing, as a stopped process does. */
  | { kind: "silent" }
  | { kind: "other" };

/** Finds out whether the server on 127.0.0.1:`port` is a Redis that keeps its data in `dataDir`. */
export async function probeServer(port: number, dataDir: string): Promise<ProbeResult> {
  const client = createProbeClient(port);
  let connected = false;
  client.once("connect", () => {
    connected = true;
  });
  try {
    await client.connect();
    const [, dir] = (await client.call("CONFIG", "GET", "dir")) as [string, string];
    if ((await realpath(dir)) !== dataDir) return { kind: "other" };
    const pid = readInfoField(await client.info("server"), "process_id");
    return pid ? { kind: "ours", pid: Number(pid) } : { kind: "other" };
  } catch (error) {
    const isTimeout = connected && error instanceof Error && /timed? ?out/i.test(error.message);
    return { kind: isTimeout ? "silent" : "other" };
  } finally {
    client.disconnect();
  }
}

/** Whether `pid`, which may long belong to another program, is a server that does not answer for `dataDir`. */
export async function isServingDirectory(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform === "linux") {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === dataDir;
  }
  const ps = promisify(execFile)("ps", ["-p", String(pid), "-o", "comm="]);
  const { stdout } = await ps.catch(() => ({ stdout: "" }));
  return /(redis|valkey)-server/.test(stdout);
}

/** How far a server that was just started has come. */
export async function probeReadiness(port: number): Promise<"ready" | "loading" | "not-yet"> {
  const client = createProbeClient(port);
  try {
    await client.connect();
    await client.ping();
    return "ready";
  } catch (error) {
    const reply = error instanceof Error ? error.message : "";
    if (reply.startsWith("NOAUTH")) return "ready";
    return reply.startsWith("LOADING") ? "loading" : "not-yet";
  } finally {
    client.disconnect();
  }
}

function createProbeClient(port: number): Redis {
  const client = new Redis({
    port,
    host: "127.0.0.1",
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    commandTimeout: 1_000,
    protocol: 2,
  });
  // Without a listener ioredis prints what the calls above already report.
  client.on("error", () => {});
  return client;
}
