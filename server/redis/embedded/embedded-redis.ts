import { explainFileError } from "../../errors/file-error.ts";
import { StartupError } from "../../errors/startup-error.ts";
import { buildUserRules } from "./access-rules.ts";
import { buildEmbeddedUrl, getUrlFile, loadPasswords, writeUrlFiles } from "./embedded-credentials.ts";
import { claimServer, readNote, type ServerClaim, writeNote } from "./embedded-files.ts";
import { runOnServer } from "./embedded-probe.ts";
import {
  createLogin,
  type EmbeddedOptions,
  findRunningServer,
  type LaunchHooks,
  launchEmbeddedServer,
  type ServerSetup,
} from "./embedded-server.ts";
import { EMBEDDED_REMEDY, preparePrivateDirectory } from "./private-directory.ts";
import { endServer, isPortFree, sendSignal } from "./server-process.ts";
import { ServerSupervisor } from "./server-supervisor.ts";
import { tryStartLock, withStartLock } from "./start-lock.ts";

/** The connection parameters for applications. The password is only in `file`. */
export interface AppConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The path of the file with the URL. Only the account that runs Lockkeeper can read the file. */
  readonly file: string;
}

export interface EmbeddedRedis {
  /** The URL with the password of the ACL user `lockkeeper`, which has every permission. */
  readonly url: string;
  /** The URL with the password of the ACL user `app`, which cannot access Lockkeeper's own keys. */
  readonly appUrl: string;
  readonly app: AppConnection;
  readonly port: number;
  /** The pid of the current server process. Changes when the server exits unexpectedly and is restarted. */
  readonly pid: number;
  /**
   * Whether the server was already running: left behind by a killed Lockkeeper process, or in use by another Lockkeeper
   * process.
   */
  readonly adopted: boolean;
  /** Stops the server, unless another Lockkeeper process still uses it. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded Redis on 127.0.0.1 with the data, passwords and port from the last run. If the port is in use,
 * chooses another port. If the server from the last run is still running and requires a password, adopts that server.
 *
 * @throws StartupError with a one-line message if the server cannot be started or its files cannot be written
 */
export async function startEmbeddedRedis(options: EmbeddedOptions): Promise<EmbeddedRedis> {
  const dir = await preparePrivateDirectory(options.dataDir);
  try {
    return await startInDirectory(dir, options);
  } catch (error) {
    throw await explainFileError(error, dir, EMBEDDED_REMEDY);
  }
}

function startInDirectory(dir: string, options: EmbeddedOptions): Promise<EmbeddedRedis> {
  return withStartLock(dir, async () => {
    const setup = { options, dir, passwords: await loadPasswords(dir) };
    const note = await readNote(dir);
    const port = note?.port ?? options.preferredPort;
    const running = await findRunningServer(setup, port, note);
    if (running.kind === "lockkeeper" && running.isOpen) await endOpenServer(setup, running.pid);
    else if (running.kind === "lockkeeper") return adoptServer(setup, port, running.pid);
    return startNewServer(setup, port);
  });
}

/** Stops a server of an earlier version. Any account on this machine could use such a server. */
async function endOpenServer({ options }: ServerSetup, pid: number): Promise<void> {
  options.onProgress?.("The embedded Redis of an earlier run has no password: it is restarted with one");
  await endServer(pid);
}

async function adoptServer(setup: ServerSetup, port: number, pid: number): Promise<EmbeddedRedis> {
  const { dir, passwords, options } = setup;
  const rules = buildUserRules("app", passwords.app, options.binary);
  await runOnServer(port, createLogin(setup), ["ACL", "SETUSER", "app", ...rules]);
  await writeUrlFiles(dir, port, passwords);
  writeNote(dir, { port, pid });
  const claim = await claimServer(dir, { fresh: false });
  return createHandle(setup, { port, pid, adopted: true }, claim);
}

async function startNewServer(setup: ServerSetup, wanted: number): Promise<EmbeddedRedis> {
  const { dir, options, passwords } = setup;
  const port = (await isPortFree(wanted)) ? wanted : await findFreePort(wanted);
  if (port !== wanted)
    options.onProgress?.(`Port ${wanted} is taken: the embedded Redis uses ${port} from now on`);
  await writeUrlFiles(dir, port, passwords);
  const { onProgress, signal } = options;
  const pid = await launchEmbeddedServer(setup, port, { onProgress, signal });
  const claim = await claimServer(dir, { fresh: true });
  return createHandle(setup, { port, pid, adopted: false }, claim);
}

async function findFreePort(excludedPort: number): Promise<number> {
  // Avoids ports that the system would choose. Outgoing connections use the same range and may occupy the port at the
  // next start.
  for (let port = excludedPort + 1; port <= Math.min(excludedPort + 100, 65_535); port++) {
    if (await isPortFree(port)) return port;
  }
  throw new StartupError(
    `The embedded Redis found no free port from ${excludedPort} to ${excludedPort + 100}. Stop a program that uses one, or set REDIS_URL.`,
  );
}

/** Restarts a server that exited unexpectedly. The port stays the same, because applications connect to it. */
async function restartServer(
  setup: ServerSetup,
  port: number,
  hooks: LaunchHooks & { signal: AbortSignal },
): Promise<number> {
  return withStartLock(setup.dir, async () => {
    hooks.signal.throwIfAborted();
    // Another Lockkeeper process that shares the server may have restarted it already.
    const running = await findRunningServer(setup, port, await readNote(setup.dir));
    if (running.kind === "lockkeeper") return running.pid;
    if (!(await isPortFree(port))) throw new StartupError(`another program listens on port ${port}`);
    return launchEmbeddedServer(setup, port, hooks);
  });
}

function createHandle(
  setup: ServerSetup,
  server: Pick<EmbeddedRedis, "port" | "pid" | "adopted">,
  claim: ServerClaim,
): EmbeddedRedis {
  const { dir, options, passwords } = setup;
  const { port, adopted } = server;
  const supervisor: ServerSupervisor = new ServerSupervisor({
    pid: server.pid,
    restart: (signal) => restartServer(setup, port, { signal, onSpawn: (pid) => supervisor.setPid(pid) }),
    onLine: options.onUnexpectedEnd,
  });
  const atExit = () => {
    if (claim.release() === "last") sendSignal(supervisor.pid, "SIGTERM");
  };
  process.on("exit", atExit);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    process.off("exit", atExit);
    await supervisor.stop();
    // A concurrent start must not adopt a server that is about to stop. A stop does not wait for a start in progress.
    const release = await tryStartLock(dir).catch(() => undefined);
    if (claim.release() === "last") await endServer(supervisor.pid);
    await release?.();
  };
  return {
    port,
    adopted,
    get pid() {
      return supervisor.pid;
    },
    url: buildEmbeddedUrl(port, "lockkeeper", passwords.lockkeeper),
    appUrl: buildEmbeddedUrl(port, "app", passwords.app),
    app: { host: "127.0.0.1", port, user: "app", file: getUrlFile(dir, "app") },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
