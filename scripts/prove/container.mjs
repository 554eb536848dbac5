import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findTool } from "./tools.mjs";

const POLL_MS = 25;

/**
 * Shell script that mounts the image read-only with a writable /data and runs its arguments in the image. Must run in
 * separate mount and PID namespaces.
 */
const ENTER = `
set -e
mount --make-rprivate /
mount --bind "$IMAGE" "$VIEW"
mount -t proc proc "$VIEW/proc"
mount -t tmpfs -o mode=755 tmpfs "$VIEW/dev"
for device in null zero urandom; do
  touch "$VIEW/dev/$device"
  mount --bind "/dev/$device" "$VIEW/dev/$device"
done
mount --bind "$DATA" "$VIEW/data"
mount -o remount,bind,ro "$VIEW"
cd /
exec env --ignore-environment "$@"
`;

/**
 * @typedef {object} Settings
 * @property {string} image path of the mounted root folder of the image
 * @property {string} folder a temporary folder
 * @property {string} data the folder mounted at /data
 * @property {number} uid user ID and group ID of every process
 * @property {{ Env: string[], Entrypoint: string[], Cmd: string[] }} config the configuration of the image
 */

/**
 * A container of the image without a container engine: the file system is read-only, the user is unprivileged and the
 * main process has PID 1.
 */
export class Container {
  /** @param {Settings} settings */
  constructor(settings) {
    this.settings = settings;
  }

  /**
   * Starts the image's entry point with its default arguments, or with `args`.
   *
   * @param {Record<string, string>} variables
   * @param {readonly string[]} [args]
   */
  start(variables, args = this.settings.config.Cmd) {
    return this.#spawn([...this.settings.config.Entrypoint, ...args], variables);
  }

  /**
   * Runs a command in the image and waits until it ends. The command has a separate PID namespace and /proc.
   *
   * @param {readonly string[]} command
   * @param {Record<string, string>} [variables]
   */
  async run(command, variables = {}) {
    const started = this.#spawn(command, variables);
    const code = await started.ended;
    return { code, output: started.output() };
  }

  /**
   * @param {readonly string[]} command
   * @param {Record<string, string>} variables
   */
  #spawn(command, variables) {
    const { image, folder, data, uid, config } = this.settings;
    const view = join(folder, "view");
    mkdirSync(view, { recursive: true });
    const env = [...config.Env, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
    const chroot = [
      findTool("chroot") ?? "chroot",
      `--userspec=${uid}:${uid}`,
      "--groups=",
      view,
      ...command,
    ];
    const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child=SIGKILL"];
    const child = spawn("unshare", [...namespaces, "sh", "-c", ENTER, "sh", ...env, ...chroot], {
      env: { PATH: process.env.PATH, IMAGE: image, VIEW: view, DATA: data },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new ContainerProcess(child);
  }
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("exit", () => {
  // Killing `unshare` also kills its child process.
  for (const child of running) child.kill("SIGKILL");
});

export class ContainerProcess {
  #output = "";

  /** @param {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, import("node:stream").Readable>} child */
  constructor(child) {
    this.child = child;
    running.add(child);
    child.once("close", () => running.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (/** @type {Buffer} */ chunk) => {
        this.#output += chunk.toString();
      });
    /** @type {Promise<number>} resolves with the exit code; 128 plus the number of the signal */
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve(code ?? 128));
    });
  }

  output() {
    return this.#output;
  }

  /** PID of the container's main process in the namespace of this script. */
  get pid() {
    const { pid } = this.child;
    const [main = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    if (main === "") throw new Error(`the container has ended; the output was:\n${this.#output}`);
    return Number(main);
  }

  /**
   * Waits until `isReached` returns true. Returns the time in milliseconds.
   *
   * @param {() => Promise<boolean>} isReached
   * @param {number} withinMs
   */
  async until(isReached, withinMs) {
    const began = performance.now();
    for (;;) {
      if (await isReached()) return performance.now() - began;
      const ended = await Promise.race([this.ended, sleep(POLL_MS)]);
      const problem = ended === undefined ? "is not ready" : `ended with exit code ${ended}`;
      if (ended !== undefined || performance.now() - began > withinMs)
        throw new Error(`the container ${problem}; the output was:\n${this.#output}`);
    }
  }

  /** Sends SIGTERM to the main process. Returns its exit code and the time until it ended, in milliseconds. */
  async stop() {
    const began = performance.now();
    process.kill(this.pid, "SIGTERM");
    const code = await this.ended;
    return { code, ms: performance.now() - began };
  }
}
