import { join } from "node:path";
import { StartupError } from "../../errors/startup-error.ts";
import { listHardeningSettings } from "./access-rules.ts";
import { ACL_FILE, type EmbeddedPasswords, writeAclFile } from "./embedded-credentials.ts";
import { type ServerNote, writeNote } from "./embedded-files.ts";
import { isServingDirectory, type ProbeLogin, type ProbeResult, probeServer } from "./embedded-probe.ts";
import type { RedisServerBinary } from "./server-binary.ts";
import { launchServer } from "./server-launch.ts";

/**
 * Value of `notify-keyspace-events` that enables the notifications the watcher needs: per key, for generic, string,
 * hash, set, sorted set, expired and evicted events.
 */
export const KEYSPACE_EVENTS = "Kghszxe$";

export interface EmbeddedOptions {
  binary: RedisServerBinary;
  /**
   * The directory for the append-only file and for Lockkeeper's files about the server. Other accounts cannot read it.
   */
  dataDir: string;
  /** The port for the first start. Each later start prefers the stored port from the last start. */
  preferredPort: number;
  /** Aborting this signal cancels the start and kills the server that is starting. */
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
  /**
   * Called with a message when a server that exited unexpectedly has been restarted, and after the first of a series of
   * failed restarts.
   */
  onUnexpectedEnd?: (line: string) => void;
}

/** The settings that all starts in the same data directory share. */
export interface ServerSetup {
  readonly options: EmbeddedOptions;
  /** The real path of the data directory. */
  readonly dir: string;
  readonly passwords: EmbeddedPasswords;
}

type RunningServer =
  | { kind: "lockkeeper"; pid: number; isOpen: boolean }
  | Exclude<ProbeResult, { kind: "lockkeeper" }>;

/**
 * Finds the server from an earlier run. Sends the password only to a process that serves Lockkeeper's directory,
 * because another account could listen on the port to obtain the password.
 *
 * @throws StartupError if Lockkeeper's server is running but cannot be used
 */
export async function findRunningServer(
  setup: ServerSetup,
  port: number,
  note: ServerNote | undefined,
): Promise<RunningServer> {
  const { dir } = setup;
  const isServing = note !== undefined && (await isServingDirectory(note.pid, dir));
  const secured = isServing ? await probeServer(port, dir, createLogin(setup)) : undefined;
  if (secured?.kind === "lockkeeper") return { ...secured, isOpen: false };
  const open = secured?.kind === "silent" ? secured : await probeServer(port, dir);
  if (open.kind === "lockkeeper") return { ...open, isOpen: true };
  if (isServing && (open.kind === "silent" || open.kind === "refused")) {
    const why = open.kind === "silent" ? "is not responding" : `refuses the password in ${dir}`;
    throw new StartupError(
      `The embedded Redis of an earlier run (pid ${note.pid}, port ${port}) ${why}: end it with \`kill -9 ${note.pid}\` and start again.`,
    );
  }
  return open;
}

export interface LaunchHooks {
  onProgress?: ((line: string) => void) | undefined;
  onSpawn?: (pid: number) => void;
  signal?: AbortSignal;
}

/**
 * Starts the server and waits until it has loaded its data. Returns the pid of the server.
 *
 * @throws StartupError if the server does not start
 */
export async function launchEmbeddedServer(
  setup: ServerSetup,
  port: number,
  hooks: LaunchHooks,
): Promise<number> {
  const { options, dir, passwords } = setup;
  await writeAclFile(dir, passwords, options.binary);
  const { pid } = await launchServer({
    binary: options.binary,
    cwd: dir,
    args: buildArguments(port, options.binary),
    port,
    logFile: join(dir, "redis.log"),
    login: createLogin(setup),
    isPrivate: true,
    ...hooks,
    onSpawn: (spawned) => {
      writeNote(dir, { port, pid: spawned });
      hooks.onSpawn?.(spawned);
    },
  });
  return pid;
}

/**
 * Builds the command line arguments of the server. They must not contain secrets, because every account can list them.
 */
function buildArguments(port: number, binary: RedisServerBinary): string[] {
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    aclfile: ACL_FILE,
    appendonly: "yes",
    appendfsync: "everysec",
    save: "",
    "notify-keyspace-events": KEYSPACE_EVENTS,
    ...listHardeningSettings(binary),
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Returns the credentials of Lockkeeper's own user. */
export function createLogin({ passwords }: ServerSetup): ProbeLogin {
  return { user: "lockkeeper", password: passwords.lockkeeper };
}
