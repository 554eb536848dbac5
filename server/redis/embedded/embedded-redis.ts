import { access, constants, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../../errors/startup-error.ts";
import {
  type Claim,
  claimServer,
  readNote,
  tryStartLock,
  withStartLock,
  writeNote,
} from "./embedded-files.ts";
import { keepsFilesIn, type Look, lookAt } from "./embedded-probe.ts";
import type { RedisServerBinary } from "./server-binary.ts";
import { launch } from "./server-launch.ts";
import { endServer, isPortFree, signal } from "./server-process.ts";

/** What the watch needs to see of locks: generic, hash, expired, evicted and string events by key. */
export const NOTIFICATIONS = "Kghszxe$";

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

interface Place {
  dataDir: string;
  stateDir: string;
}

/** Starts the project's own Redis on 127.0.0.1, with the data and on the port of the last time. */
export async function startEmbeddedRedis(options: EmbeddedOptions): Promise<EmbeddedRedis> {
  const place = await preparePlace(options);
  return withStartLock(place.stateDir, async () => {
    const note = await readNote(place.stateDir);
    const port = note?.port ?? options.preferredPort;
    const running = await lookAt(port, place.dataDir);
    if (running.kind === "ours") return adopt(running, port, place);
    if (running.kind === "silent" && note && (await keepsFilesIn(note.pid, place.dataDir))) {
      throw new StartupError(
        `The embedded Redis of an earlier run (pid ${note.pid}, port ${port}) does not answer: end it with \`kill -9 ${note.pid}\` and start again.`,
      );
    }
    return startNew(options, port, place);
  });
}

async function preparePlace(options: EmbeddedOptions): Promise<Place> {
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

async function adopt(running: Look & { kind: "ours" }, port: number, place: Place): Promise<EmbeddedRedis> {
  await writeNote(place.stateDir, { port, pid: running.pid });
  const claim = await claimServer(place.stateDir, { fresh: false });
  return handle({ port, pid: running.pid, adopted: true }, claim, place);
}

async function startNew(options: EmbeddedOptions, wanted: number, place: Place): Promise<EmbeddedRedis> {
  const port = (await isPortFree(wanted)) ? wanted : await freePortNear(wanted);
  if (port !== wanted)
    options.onProgress?.(`Port ${wanted} is taken: the embedded Redis uses ${port} from now on`);
  const server = await launch({
    binary: options.binary,
    cwd: place.dataDir,
    args: argumentsFor(port),
    port,
    logFile: join(place.stateDir, "redis.log"),
    onProgress: options.onProgress,
  });
  await writeNote(place.stateDir, { port, pid: server.pid });
  const claim = await claimServer(place.stateDir, { fresh: true });
  return handle({ port, pid: server.pid, adopted: false }, claim, place);
}

function argumentsFor(port: number): string[] {
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    appendonly: "yes",
    appendfsync: "everysec",
    save: "",
    "notify-keyspace-events": NOTIFICATIONS,
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function freePortNear(taken: number): Promise<number> {
  // Not one the system picks: those come from the range of outgoing connections, which may have it next time.
  for (let port = taken + 1; port <= Math.min(taken + 100, 65_535); port++) {
    if (await isPortFree(port)) return port;
  }
  throw new StartupError(
    `The embedded Redis found no free port from ${taken} to ${taken + 100}: free one, or set REDIS_URL.`,
  );
}

function handle(
  server: Pick<EmbeddedRedis, "port" | "pid" | "adopted">,
  claim: Claim,
  place: Place,
): EmbeddedRedis {
  const atExit = () => {
    if (claim.giveUp() === "last") signal(server.pid, "SIGTERM");
  };
  process.on("exit", atExit);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    process.off("exit", atExit);
    // A start at this moment must not adopt a server that is about to end; but ending never waits for one.
    const release = await tryStartLock(place.stateDir).catch(() => undefined);
    if (claim.giveUp() === "last") await endServer(server.pid);
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
