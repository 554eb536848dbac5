import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "../../errors/startup-error.ts";
import { isRunning } from "./server-process.ts";

const LOCK_WAIT_MS = 30_000;

/** The port and process id of the embedded server, which are stored for the next run. */
export interface ServerNote {
  port: number;
  pid: number;
}

export async function readNote(dir: string): Promise<ServerNote | undefined> {
  try {
    const { port, pid } = JSON.parse(await readFile(getNotePath(dir), "utf8"));
    return isPositive(port) && port < 65_536 && isPositive(pid) ? { port, pid } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores the port and pid of the server. The write is synchronous, so that a server never runs without a stored pid.
 */
export function writeNote(dir: string, note: ServerNote): void {
  const temporary = `${getNotePath(dir)}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(note)}\n`, { mode: 0o600 });
    renameSync(temporary, getNotePath(dir));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A claim of a process on the embedded server. The server keeps running while at least one process has a claim. */
export interface ServerClaim {
  /**
   * Releases the claim. `last`: no other process uses the server, so the caller must stop it. `shared`: another process
   * still uses the server. `given-up`: the claim had already been released.
   */
  release(): "last" | "shared" | "given-up";
}

/** Records that this process uses the server. If `fresh`, removes all claims on the previous server process. */
export async function claimServer(dir: string, { fresh }: { fresh: boolean }): Promise<ServerClaim> {
  const users = join(dir, "users");
  if (fresh) await rm(users, { recursive: true, force: true });
  await mkdir(users, { recursive: true, mode: 0o700 });
  await writeFile(join(users, String(process.pid)), "", { mode: 0o600 });
  let given = false;
  return {
    release() {
      if (given) return "given-up";
      given = true;
      rmSync(join(users, String(process.pid)), { force: true });
      return readUsers(users).some(isRunning) ? "shared" : "last";
    },
  };
}

function readUsers(users: string): number[] {
  try {
    return readdirSync(users).map(Number).filter(isPositive);
  } catch {
    return [];
  }
}

/**
 * Runs `work` while holding the start lock of `dir`. The lock prevents a second server in `dir`, because two servers
 * would corrupt the append-only file.
 *
 * @throws StartupError if the lock cannot be acquired within 30 s, or any error from `work`
 */
export async function withStartLock<T>(dir: string, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + LOCK_WAIT_MS;
  let release = await tryStartLock(dir);
  while (!release) {
    if (performance.now() > end) {
      throw new StartupError(
        `Another process has been starting the embedded Redis for 30 s: end that process, or delete ${getLockPath(dir)} if it no longer runs.`,
      );
    }
    await sleep(50);
    release = await tryStartLock(dir);
  }
  try {
    return await work();
  } finally {
    await release();
  }
}

const heldLockPaths = new Set<string>();

/**
 * Tries once to acquire the start lock of `dir`. Removes a stale lock file first.
 *
 * @returns a function that releases the lock, or `undefined` if the lock is already held
 */
export async function tryStartLock(dir: string): Promise<(() => Promise<void>) | undefined> {
  const path = getLockPath(dir);
  await removeIfStale(path);
  try {
    await createLockFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
  heldLockPaths.add(path);
  return async () => {
    heldLockPaths.delete(path);
    await rm(path, { force: true });
  };
}

/**
 * Creates the lock file. Removes the file if its content cannot be written, for example because the disk is full.
 *
 * @throws EEXIST if the file exists
 */
async function createLockFile(path: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(String(process.pid));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function removeIfStale(path: string): Promise<void> {
  const [content, age] = await Promise.all([
    readFile(path, "utf8").catch(() => undefined),
    stat(path).then(
      (stats) => Date.now() - stats.mtimeMs,
      () => 0,
    ),
  ]);
  if (content === undefined) return;
  const pid = Number(content);
  // In a container, a restarted process can have the pid of the killed process. A lock file with Lockkeeper's own pid
  // may therefore be stale.
  const alive = pid === process.pid ? heldLockPaths.has(path) : isRunning(pid);
  const abandoned = isPositive(pid) ? !alive : age > 2_000;
  if (abandoned) await rm(path, { force: true });
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function getNotePath(dir: string): string {
  return join(dir, "server.json");
}

function getLockPath(dir: string): string {
  return join(dir, "start.lock");
}
