import { fileURLToPath } from "node:url";
import type { SignalledLibrary } from "../../../server/formats/release-signals.ts";
import { Peer } from "../peer.ts";
import type { Tools } from "../prepared.ts";
import { startPython } from "../python-peer.ts";
import type { AcquireResult } from "./client.ts";

/** A library that exchanges wake-ups with Lockkeeper's format `token`. */
export interface WakeUpLibrary {
  readonly name: string;
  readonly needs: keyof Tools;
  /** The signal that Lockkeeper sends on release to wake the library's waiters. Undefined if the waiters poll. */
  readonly signal: SignalledLibrary | undefined;
  start(tools: Tools, url: string): Promise<Peer>;
  acquire(peer: Peer, key: string, waitMs: number, leaseMs: number): Promise<AcquireResult>;
  release(peer: Peer, key: string): Promise<unknown>;
}

/** Creates a library whose peer supports several libraries and takes the library's name in each request. */
function createHoldingLibrary(
  object: string,
  more: Pick<WakeUpLibrary, "needs" | "signal" | "start">,
): WakeUpLibrary {
  return {
    name: object,
    ...more,
    acquire: (peer, key, waitMs, leaseMs) => peer.ask("hold", ["a", object, key, waitMs, leaseMs], waitMs),
    release: (peer, key) => peer.ask("drop", ["a", object, key]),
  };
}

const startPythonLocks = ({ pythonLocks }: Tools, url: string) =>
  startPython("Python", pythonLocks, "locks_peer.py", url);

const NPM_WORKER = fileURLToPath(new URL("../workers/npm-peer.ts", import.meta.url));

export const WAKE_UP_LIBRARIES: readonly WakeUpLibrary[] = [
  createHoldingLibrary("redis-py", { needs: "pythonLocks", signal: undefined, start: startPythonLocks }),
  createHoldingLibrary("python-redis-lock", {
    needs: "pythonLocks",
    signal: "python-redis-lock",
    start: startPythonLocks,
  }),
  {
    ...createHoldingLibrary("published", {
      needs: "spring",
      signal: "spring",
      start: ({ spring }, url) =>
        Peer.start("Spring", spring.java, ["-Xmx256m", "-cp", spring.classpath, "SpringPeer", url]),
    }),
    name: "Spring PUB_SUB",
  },
  {
    name: "redlock 4",
    needs: "npm",
    signal: undefined,
    start: ({ npm }, url) =>
      Peer.start("redlock 4", process.execPath, ["--import", "tsx", NPM_WORKER, "redlock4", url, npm.dir]),
    acquire: (peer, key, waitMs, leaseMs) => peer.ask("take", ["a", key, waitMs, leaseMs], waitMs),
    release: (peer, key) => peer.ask("release", ["a", key]),
  },
];
