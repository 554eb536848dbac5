import { execFile } from "node:child_process";
import { readlink, realpath } from "node:fs/promises";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { readInfoField } from "../server-info.ts";

export type ProbeResult =
  | { kind: "lockkeeper"; pid: number }
  /** The server accepts the connection but does not respond, as if suspended. */
  | { kind: "silent" }
  /** The server requires a different password. */
  | { kind: "refused" }
  | { kind: "other" };

/** The credentials with which a connection authenticates. */
export interface ProbeLogin {
  readonly user: string;
  readonly password: string;
}

/**
 * Determines whether the server on 127.0.0.1:`port` is a Redis that keeps its data in `dataDir`.
 *
 * @param login credentials to send. Pass credentials only if the process is known to be Lockkeeper's server, because
 * any program that listens on the port can read the password
 */
export async function probeServer(port: number, dataDir: string, login?: ProbeLogin): Promise<ProbeResult> {
  const client = createProbeClient(port);
  let connected = false;
  client.once("connect", () => {
    connected = true;
  });
  try {
    await client.connect();
    if (login !== undefined) await client.call("AUTH", login.user, login.password);
    const [, dir] = (await client.call("CONFIG", "GET", "dir")) as [string, string];
    if ((await realpath(dir)) !== dataDir) return { kind: "other" };
    const pid = readInfoField(await client.info("server"), "process_id");
    return pid ? { kind: "lockkeeper", pid: Number(pid) } : { kind: "other" };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (/^(?:WRONGPASS|NOAUTH|NOPERM)\b/.test(message)) return { kind: "refused" };
    return { kind: connected && /timed? ?out/i.test(message) ? "silent" : "other" };
  } finally {
    client.disconnect();
  }
}

/**
 * Returns whether `pid` is a server process for `dataDir`, even if the process does not respond. The pid of an earlier
 * server can belong to another program by now. On systems other than Linux, compares only the program name.
 */
export async function isServingDirectory(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform === "linux") {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === dataDir;
  }
  const ps = promisify(execFile)("ps", ["-p", String(pid), "-o", "comm="]);
  const { stdout } = await ps.catch(() => ({ stdout: "" }));
  return /(redis|valkey)-server/.test(stdout);
}

/**
 * Determines whether a newly launched server is ready or still loading its data. Redis does not report that it is
 * loading until the client has authenticated.
 */
export async function probeReadiness(
  port: number,
  login?: ProbeLogin,
): Promise<"ready" | "loading" | "not-yet"> {
  const client = createProbeClient(port);
  try {
    await client.connect();
    if (login !== undefined) await client.call("AUTH", login.user, login.password);
    await client.ping();
    return "ready";
  } catch (error) {
    const reply = error instanceof Error ? error.message : "";
    if (reply.startsWith("NOAUTH") && login === undefined) return "ready";
    // A server that cannot save its data refuses even PING, but is running.
    if (reply.startsWith("MISCONF")) return "ready";
    return reply.startsWith("LOADING") ? "loading" : "not-yet";
  } finally {
    client.disconnect();
  }
}

/** Runs one command on the embedded server. @throws the error that Redis returns */
export async function runOnServer(
  port: number,
  login: ProbeLogin,
  command: [string, ...string[]],
): Promise<unknown> {
  const client = createProbeClient(port);
  try {
    await client.connect();
    await client.call("AUTH", login.user, login.password);
    return await client.call(...command);
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
    disableClientInfo: true,
  });
  // Without a listener, ioredis prints errors that the calls above already report.
  client.on("error", () => {});
  return client;
}
