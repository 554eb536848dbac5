import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StepError } from "./child.mjs";

const PID_WITHIN_MS = 2_000;
const HEARTBEAT_MS = 1_000;
/**
 * Time in milliseconds after which a lock that was not touched counts as abandoned. Checking the PID is not sufficient
 * because PIDs are reused.
 */
const DEAD_AFTER_MS = 60_000;

/**
 * Runs `work` while no other process runs work under the same lock. Concurrent installations would corrupt
 * node_modules.
 *
 * @template T
 * @param {string} dir the folder that represents the lock. It exists while the lock is held
 * @param {(onStart: (pid: number) => void) => Promise<T>} work function that calls `onStart` with the PID of each
 * process that it starts
 * @returns {Promise<T>}
 */
export async function withLock(dir, work) {
  let isReported = false;
  while (!take(dir)) {
    const pid = holderOf(dir);
    if (pid !== undefined && !isReported) {
      console.log(`Waiting for another setup of this folder (pid ${pid}) …`);
      isReported = true;
    }
    await sleep(100);
  }
  const heartbeat = setInterval(() => touch(dir), HEARTBEAT_MS);
  const release = () => rmSync(dir, { recursive: true, force: true });
  process.once("exit", release);
  try {
    return await work((pid) => writeFileSync(join(dir, "child"), String(pid)));
  } finally {
    clearInterval(heartbeat);
    process.off("exit", release);
    release();
  }
}

/** @param {string} dir */
function take(dir) {
  if (isAbandoned(dir)) clearAway(dir);
  try {
    mkdirSync(dirname(dir), { recursive: true });
    mkdirSync(dir);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw createWriteError(error, dirname(dir));
  }
  try {
    writeFileSync(join(dir, "pid"), String(process.pid));
    return true;
  } catch (error) {
    // On a full disk, creating the file can succeed although writing to it fails.
    rmSync(dir, { recursive: true, force: true });
    throw createWriteError(error, dir);
  }
}

/** @type {Readonly<Record<string, string>>} */
const CAUSES = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EROFS: "the file system is read-only",
  EACCES: "this account may not write there",
  EPERM: "this account may not write there",
  ENOTDIR: "a part of the path is a file",
};

/**
 * @param {unknown} error
 * @param {string} path
 */
function createWriteError(error, path) {
  if (!(error instanceof Error && "code" in error)) return error;
  // A recursive `mkdir` reports ENOENT for every cause.
  const code = String(error.code === "ENOENT" ? (findWriteFault(path) ?? error.code) : error.code);
  const cause = CAUSES[code];
  return new StepError(
    `Could not write to ${path} (${cause ? `${code}: ${cause}` : code}), so dependencies or the console cannot be installed or built. Run this command once as the account that owns the folder, or make it writable.`,
  );
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function findWriteFault(path) {
  try {
    mkdirSync(path);
    rmdirSync(path);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    return code === "ENOENT" && dirname(path) !== path ? findWriteFault(dirname(path)) : code;
  }
}

/** @param {string} dir */
function isAbandoned(dir) {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (!stats) return false;
  const age = Date.now() - stats.mtimeMs;
  if (readPid(dir, "pid") === undefined) return age > PID_WITHIN_MS;
  return age > DEAD_AFTER_MS || holderOf(dir) === undefined;
}

/** @param {string} dir */
function touch(dir) {
  const now = new Date();
  try {
    utimesSync(dir, now, now);
  } catch {
    // The lock was deleted manually, so its time cannot be updated.
  }
}

/** @param {string} dir */
function clearAway(dir) {
  const aside = `${dir}.${process.pid}`;
  try {
    // If several processes find the same abandoned lock, only one of them can rename it.
    renameSync(dir, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch {
    // Another process has already removed the lock.
  }
}

/**
 * Returns the PID of the running process that holds the lock: the owner, or an installation or build that continues
 * after its owner was killed.
 *
 * @param {string} dir
 */
function holderOf(dir) {
  // This process does not hold the lock. If the lock contains its PID, the lock is from before a restart of the
  // container.
  return [readPid(dir, "pid"), readPid(dir, "child")].find(
    (pid) => pid && pid !== process.pid && isAlive(pid),
  );
}

/**
 * @param {string} dir
 * @param {"pid" | "child"} name
 */
function readPid(dir, name) {
  try {
    const pid = Number(readFileSync(join(dir, name), "utf8"));
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
