import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StepError } from "./child.mjs";

const HEARTBEAT_MS = 1_000;
/**
 * Time in milliseconds after which a lock that was not touched counts as abandoned. Checking the PID is not sufficient
 * because PIDs are reused.
 */
const DEAD_AFTER_MS = 60_000;
/** Matches the name of an owner's file: the PID of the owner and a random suffix. */
const OWNER = /^(\d+)\.[0-9a-f]+$/;

/**
 * Runs `work` while no other process runs work under the same lock. Concurrent installations would corrupt
 * node_modules.
 *
 * The lock is a folder that contains one file, named after the owner. A process takes over the lock by renaming that
 * file. If several processes find the same lock abandoned, the rename succeeds in only one of them.
 *
 * @template T
 * @param {string} dir the folder that represents the lock
 * @param {(onStart: (pid: number) => void) => Promise<T>} work function that calls `onStart` with the PID of each
 * process that it starts
 * @returns {Promise<T>}
 */
export async function withLock(dir, work) {
  const file = join(dir, `${process.pid}.${randomBytes(8).toString("hex")}`);
  let isReported = false;
  while (!tryAcquire(dir, file)) {
    const pid = findHolder(findOwner(dir));
    if (pid !== undefined && !isReported) {
      console.log(`Waiting for another setup of this folder (pid ${pid}) …`);
      isReported = true;
    }
    await sleep(100);
  }
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS);
  const release = () => releaseLock(dir, file);
  process.once("exit", release);
  try {
    return await work((pid) => writeChild(file, pid));
  } finally {
    clearInterval(heartbeat);
    process.off("exit", release);
    release();
  }
}

/**
 * @param {string} dir
 * @param {string} file the file of this process
 */
function tryAcquire(dir, file) {
  try {
    const current = findOwner(dir);
    if (current === undefined) return createLock(dir, file);
    return isAbandoned(current) && takeOver(current, file);
  } catch (error) {
    throw createWriteError(error, dirname(dir));
  }
}

/**
 * Creates the folder together with the owner's file. Returns false if another process has acquired the lock first.
 *
 * @param {string} dir
 * @param {string} file
 */
function createLock(dir, file) {
  const draft = `${dir}.${basename(file)}`;
  mkdirSync(draft, { recursive: true });
  try {
    writeFileSync(join(draft, basename(file)), "");
    // Also succeeds if the folder exists but is empty, because its owner is releasing the lock.
    renameSync(draft, dir);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (hasCode(error, "ENOTEMPTY") || hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/**
 * @param {string} current
 * @param {string} file
 */
function takeOver(current, file) {
  // Touches the file before the rename, so that no other process finds the new name with the old time.
  touch(current);
  try {
    renameSync(current, file);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/**
 * @param {string} dir
 * @param {string} file
 */
function releaseLock(dir, file) {
  rmSync(file, { force: true });
  try {
    rmdirSync(dir);
  } catch {
    // Another process has already acquired the lock.
  }
}

/**
 * Returns the path of the owner's file; `undefined` if the lock is free.
 *
 * @param {string} dir
 */
function findOwner(dir) {
  try {
    const name = readdirSync(dir).find((each) => OWNER.test(each));
    return name === undefined ? undefined : join(dir, name);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
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

/** @param {string} file */
function isAbandoned(file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return false;
  return Date.now() - stats.mtimeMs > DEAD_AFTER_MS || findHolder(file) === undefined;
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Another process has taken over the lock, or the lock was deleted manually.
  }
}

/**
 * Returns the PID of the running process that holds the lock: the owner, or an installation or build that continues
 * after its owner was killed.
 *
 * @param {string | undefined} file
 */
function findHolder(file) {
  if (file === undefined) return undefined;
  // This process does not hold the lock. If the lock contains its PID, the lock is from before a restart of the
  // container.
  return [Number(OWNER.exec(basename(file))?.[1]), readChild(file)].find(
    (pid) => pid > 0 && pid !== process.pid && isAlive(pid),
  );
}

/**
 * @param {string} file
 * @param {number} pid
 */
function writeChild(file, pid) {
  try {
    // `r+` does not create the file. If another process has taken over the lock, a new file would be a second owner.
    writeFileSync(file, `${pid}\n`, { flag: "r+" });
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** @param {string} file */
function readChild(file) {
  try {
    return Number.parseInt(readFileSync(file, "utf8"), 10);
  } catch {
    return Number.NaN;
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function hasCode(error, code) {
  return error instanceof Error && "code" in error && error.code === code;
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
