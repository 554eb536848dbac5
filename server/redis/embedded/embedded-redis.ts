import { access, constants, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../../errors/startup-error.ts";
import {
  claimServer,
  readNote,
  type ServerClaim,
  tryStartLock,
  withStartLock,
  writeNote,
} from "./embedded-files.ts";
import { isServingDirectory, type ProbeResult, probeServer } from "./embedded-probe.ts";
import type { RedisServerBinary } from "./server-binary.ts";
import { launchServer } from "./server-launch.ts";
import { endServer, isPortFree, sendSignal } from "./server-process.ts";

/** What the watch needs to see of locks: generic, hash, expired, evicted and string events by key. */
export const KEYSPACE_EVENTS = "Kghszxe$";

export interface EmbeddedOptions {
  binary: RedisServerBinary;
  /** Where Redis keeps its append-only file. */
  dataDir: string;
  /** Where our notes about it (port, log) are kept; `dataDir` unless told otherwise. */
  stateDir?: string;
  /** The port of the very first start; later starts take the remembered one. */
  preferredPort: number;
  onProgress?: (line: string) => void;
}

export interface EmbeddedRedis {
  url: string;
  port: number;
  pid: number;
  /** True if it was already running: left behind by a killed run, or shared with one that still runs. */
  adopted: boolean;
  /** Ends the server, unless another Lockkeeper process still uses it. */
  stop(): Promise<void>;
}

interface EmbeddedDirectories {
  dataDir: string;
  stateDir: string;
}

/** Starts the project's own Redis on 127.0.0.1, with the data and on the port of the last time. */
export async function startEmbeddedRedis(options: EmbeddedOptions): Promise<EmbeddedRedis> {
  const place = await prepareDirectories(options);
  return withStartLock(place.stateDir, async () => {
    const note = await readNote(place.stateDir);
    const port = note?.port ?? options.preferredPort;
    const running = await probeServer(port, place.dataDir);
    if (running.kind === "ours") return adoptServer(running, port, place);
    if (running.kind === "silent" && note && (await isServingDirectory(note.pid, place.dataDir))) {
      throw new StartupError(
        `The embedded Redis of an earlier run (pid ${note.pid}, port ${port}) does not answer: end it with \`kill -9 ${note.pid}\` and start again.`,
      );
    }
    return startNewServer(options, port, place);
  });
}

async function prepareDirectories(options: EmbeddedOptions): Promise<EmbeddedDirectories> {
  const { dataDir, stateDir = dataDir } = options;
  for (const dir of [dataDir, stateDir]) {
    await mkdir(dir, { recursive: true })
      .then(() => access(dir, constants.W_OK))
      .catch((error: NodeJS.ErrnoException) => {
        throw new StartupError(
          `The embedded Redis cannot write to ${dir} (${error.code}): make it writable, or set REDIS_URL.`,
        );
      });
  }
  return { dataDir: await realpath(dataDir), stateDir: await realpath(stateDir) };
}

async function adoptServer(
  running: ProbeResult & { kind: "ours" },
  port: number,
  place: EmbeddedDirectories,
): Promise<EmbeddedRedis> {
  await writeNote(place.stateDir, { port, pid: running.pid });
  const claim = await claimServer(place.stateDir, { fresh: false });
  return createHandle({ port, pid: running.pid, adopted: true }, claim, place);
}

async function startNewServer(
  options: EmbeddedOptions,
  wanted: number,
  place: EmbeddedDirectories,
): Promise<EmbeddedRedis> {
  const port = (await isPortFree(wanted)) ? wanted : await findFreePort(wanted);
  if (port !== wanted)
    options.onProgress?.(`Port ${wanted} is taken: the embedded Redis uses ${port} from now on`);
  const server = await launchServer({
    binary: options.binary,
    cwd: place.dataDir,
    args: buildArguments(port),
    port,
    logFile: join(place.stateDir, "redis.log"),
    onProgress: options.onProgress,
  });
  await writeNote(place.stateDir, { port, pid: server.pid });
  const claim = await claimServer(place.stateDir, { fresh: true });
  return createHandle({ port, pid: server.pid, adopted: false }, claim, place);
}

function buildArguments(port: number): string[] {
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    appendonly: "yes",
    appendfsync: "everysec",
    save: "",
    "notify-keyspace-events": KEYSPACE_EVENTS,
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function findFreePort(excludedPort: number): Promise<number> {
  // Not one the system picks: those come from the range of outgoing connections, which may have it next time.
  for (let port = excludedPort + 1; port <= Math.min(excludedPort + 100, 65_535); port++) {
    if (await isPortFree(port)) return port;
  }
  throw new StartupError(
    `The embedded Redis found no free port from ${excludedPort} to ${excludedPort + 100}: free one, or set REDIS_URL.`,
  );
}

function createHandle(
  server: Pick<EmbeddedRedis, "port" | "pid" | "adopted">,
  claim: ServerClaim,
  place: EmbeddedDirectories,
): EmbeddedRedis {
  const atExit = () => {
    if (claim.release() === "last") sendSignal(server.pid, "SIGTERM");
  };
  process.on("exit", atExit);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    process.off("exit", atExit);
    // A start at this moment must not adopt a server that is about to end; but ending never waits for one.
    const release = await tryStartLock(place.stateDir).catch(() => undefined);
    if (claim.release() === "last") await endServer(server.pid);
    await release?.();
  };
  return {
    ...server,
    url: `redis://127.0.0.1:${server.port}`,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
