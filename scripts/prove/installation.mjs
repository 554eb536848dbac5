import { execFileSync, spawn } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StepError } from "../steps/child.mjs";

const READY = /^\s*Lockkeeper is ready: (http\S+)/m;
/** Matches lines that are printed by npm, by the setup or by Next rather than by Lockkeeper. */
const NOT_OURS =
  /^(> |npm (warn|error|notice|ERR!))|^(Installing|Building|Waiting) .*…|^✓ Running next\.config\.js /;

/**
 * @typedef {object} Run
 * @property {number} pid the PID of npm, which leads its own process group
 * @property {() => string} output returns the output so far
 * @property {Promise<number>} ended resolves with the exit code
 */

/** A fresh clone of this repository in a folder with a space in its name. */
export class Installation {
  /** @param {string} repository */
  constructor(repository) {
    const parent = realpathSync(mkdtempSync(join(tmpdir(), "lockkeeper-start-")));
    this.parent = parent;
    this.dir = join(parent, "fresh clone");
    // Git rejects repositories that are owned by another user, which is common for CI checkouts.
    const gitConfig = join(parent, "gitconfig");
    writeFileSync(gitConfig, "[safe]\n\tdirectory = *\n");
    execFileSync("git", ["clone", "--quiet", repository, this.dir], {
      env: { ...process.env, GIT_CONFIG_GLOBAL: gitConfig },
    });
  }

  /**
   * Runs `npm start` with the given environment variables and none of the developer's settings.
   *
   * @param {Record<string, string>} variables
   * @returns {Run}
   */
  start(variables) {
    const child = spawn("npm", ["start"], {
      cwd: this.dir,
      env: { ...plainEnvironment(), ...variables },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const collect = (/** @type {Buffer} */ chunk) => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    /** @type {Promise<number>} */
    const ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve(code ?? (signal ? 128 : 1)));
    });
    if (child.pid === undefined) throw new StepError("npm cannot be run: is it on PATH?");
    return { pid: child.pid, output: () => output, ended };
  }

  /**
   * Waits until Lockkeeper prints that it is ready, and returns the URL in that line.
   *
   * @param {Run} run
   * @param {number} withinMs
   */
  async untilReady(run, withinMs) {
    const timeout = new AbortController();
    const gone = run.ended.then((code) => `ended with exit code ${code}`);
    const late = sleep(withinMs, `is not ready after ${withinMs / 1_000} s`, { signal: timeout.signal });
    late.catch(() => {});
    try {
      for (;;) {
        const url = READY.exec(run.output())?.[1];
        if (url) return url;
        const problem = await Promise.race([gone, late, sleep(20)]);
        if (problem) throw new StepError(`npm start ${problem}; the output was:\n${run.output()}`);
      }
    } finally {
      timeout.abort();
    }
  }

  /** Lists the processes whose command or working directory refers to this clone. */
  processes() {
    return process.platform === "linux" ? fromProc(this.dir) : fromPs(this.dir);
  }

  /**
   * Waits until no process of this clone is running. Returns how long that took, in milliseconds.
   *
   * @param {number} withinMs
   */
  async untilGone(withinMs) {
    const started = performance.now();
    for (;;) {
      const left = this.processes();
      const ms = performance.now() - started;
      if (left.length === 0) return ms;
      if (ms > withinMs) {
        const list = left.map((one) => `${one.pid} ${one.command}`).join("; ");
        throw new StepError(`still running after ${withinMs / 1_000} s: ${list}`);
      }
      await sleep(20);
    }
  }

  remove() {
    for (const { pid } of this.processes()) kill(pid);
    rmSync(this.parent, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Returns the lines of the output that Lockkeeper printed. @param {Run} run */
export function ownLines(run) {
  return run
    .output()
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !NOT_OURS.test(line));
}

/** Returns the environment of this process without variables of npm and the developer's settings. */
function plainEnvironment() {
  const foreign = /^(npm_|INIT_CWD$|NODE_ENV$|NODE_OPTIONS$|PORT$|HOST$|REDIS_|LOCKKEEPER_|CI$)/i;
  const entries = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  // The node_modules folders in PATH would hide dependencies that are missing in the clone.
  const path = (process.env.PATH ?? "").split(":").filter((part) => !part.includes("node_modules"));
  return { ...Object.fromEntries(entries), PATH: path.join(":") };
}

/** @param {string} dir */
function fromProc(dir) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({
      pid: Number(pid),
      cwd: read(() => readlinkSync(`/proc/${pid}/cwd`)),
      command: read(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()),
    }))
    .filter(({ pid, cwd, command }) => pid !== process.pid && (cwd.startsWith(dir) || command.includes(dir)));
}

/** @param {string} dir */
function fromPs(dir) {
  const lines = execFileSync("ps", ["-axo", "pid=,command="], { encoding: "utf8" }).split("\n");
  return lines
    .filter((line) => line.includes(dir))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+\s+/, "") }))
    .filter(({ pid }) => pid !== process.pid);
}

/** @param {() => string} get */
function read(get) {
  try {
    return get();
  } catch {
    return "";
  }
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
