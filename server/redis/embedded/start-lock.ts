import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "../../errors/startup-error.ts";
import { isRunning } from "./server-process.ts";

const LOCK_WAIT_MS = 30_000;

/** Matches the name of an owner's file: the pid of the owner and a random suffix. */
const OWNER = /^(\d+)\.[\w-]+$/;

/** The names of the owners in this process. */
const ownOwners = new Set<string>();

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

/**
 * Tries once to acquire the start lock of `dir`, and takes over the lock of a process that no longer runs.
 *
 * The lock is a folder that contains one file, named after the owner. A process takes over the lock by renaming that
 * file. If several processes find that the owner no longer runs, the rename succeeds in only one of them.
 *
 * @returns a function that releases the lock, or `undefined` if the lock is already held
 */
export async function tryStartLock(dir: string): Promise<(() => Promise<void>) | undefined> {
  const path = getLockPath(dir);
  const owner = `${process.pid}.${randomUUID()}`;
  ownOwners.add(owner);
  let isAcquired = false;
  try {
    const current = await readOwner(path);
    if (current === undefined) isAcquired = await createLock(path, owner);
    else if (!isOwnerRunning(current)) isAcquired = await takeOver(path, current, owner);
  } finally {
    if (!isAcquired) ownOwners.delete(owner);
  }
  if (!isAcquired) return undefined;
  return async () => {
    ownOwners.delete(owner);
    await rm(join(path, owner), { force: true });
    // Fails if another process has already acquired the lock.
    await rmdir(path).catch(() => undefined);
  };
}

async function readOwner(path: string): Promise<string | undefined> {
  try {
    return (await readdir(path)).find((name) => OWNER.test(name));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isOwnerRunning(owner: string): boolean {
  const pid = Number(OWNER.exec(owner)?.[1]);
  // In a container, a restarted process can have the pid of the killed process.
  return pid === process.pid ? ownOwners.has(owner) : isRunning(pid);
}

/** Creates the folder together with the owner's file. Returns false if another process has acquired the lock first. */
async function createLock(path: string, owner: string): Promise<boolean> {
  const draft = `${path}.${owner}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(join(draft, owner), "", { mode: 0o600 });
    // Also succeeds if the folder exists but is empty, because its owner is releasing the lock.
    await rename(draft, path);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (hasCode(error, "ENOTEMPTY") || hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function takeOver(path: string, current: string, owner: string): Promise<boolean> {
  try {
    await rename(join(path, current), join(path, owner));
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

function getLockPath(dir: string): string {
  return join(dir, "start-lock");
}
