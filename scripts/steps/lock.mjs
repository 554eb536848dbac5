import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PID_WITHIN_MS = 2_000;
const BEAT_MS = 1_000;
/** A pid is given again in time; a lock that nobody has touched for this long is a dead one's. */
const DEAD_AFTER_MS = 60_000;

/**
 * Runs `work` while no other process does: two installations at once would ruin node_modules.
 *
 * @template T
 * @param {string} dir exists while someone works
 * @param {(onStart: (pid: number) => void) => Promise<T>} work tells of the processes that it starts
 * @returns {Promise<T>}
 */
export async function withLock(dir, work) {
  mkdirSync(dirname(dir), { recursive: true });
  let said = false;
  while (!take(dir)) {
    const pid = holderOf(dir);
    if (pid !== undefined && !said) {
      console.log(`Waiting for another setup of this folder (pid ${pid}) …`);
      said = true;
    }
    await sleep(100);
  }
  const beat = setInterval(() => touch(dir), BEAT_MS);
  const release = () => rmSync(dir, { recursive: true, force: true });
  process.once("exit", release);
  try {
    return await work((pid) => writeFileSync(join(dir, "child"), String(pid)));
  } finally {
    clearInterval(beat);
    process.off("exit", release);
    release();
  }
}

/** @param {string} dir */
function take(dir) {
  if (isAbandoned(dir)) clearAway(dir);
  try {
    mkdirSync(dir);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(join(dir, "pid"), String(process.pid));
  return true;
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
    // Deleted by hand: there is no lock left to keep.
  }
}

/** @param {string} dir */
function clearAway(dir) {
  const aside = `${dir}.${process.pid}`;
  try {
    // Of several who find the same dead lock, a rename succeeds for one.
    renameSync(dir, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch {
    // Another one was faster.
  }
}

/**
 * Who works under the lock: its owner, or the installation or build that a killed owner left running.
 *
 * @param {string} dir
 */
function holderOf(dir) {
  // Our own pid in a lock that we do not hold is one from before the container was restarted.
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
