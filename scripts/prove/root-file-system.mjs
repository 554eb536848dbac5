// A root file system with a minimal Debian and Node, in which packages are installed and run as an unprivileged user.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { runChild } from "../steps/child.mjs";
import { makePlainSystem } from "./plain-system.mjs";

/** ID of the unprivileged user in the root file system. As in many containers, the user is not in /etc/passwd. */
export const USER_ID = 31_415;
export const HOME = "/home/lock";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Counts the running processes of the unprivileged user. Excludes zombies, which have an empty command line. */
export function countUserProcesses() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isRunningForUser(`/proc/${name}`))
    .length;
}

/** @param {string} folder folder of the process in /proc */
function isRunningForUser(folder) {
  try {
    return statSync(folder).uid === USER_ID && readFileSync(join(folder, "cmdline")).length > 0;
  } catch {
    // The process has ended since /proc was listed.
    return false;
  }
}

/** @param {string} name */
function readNpmSetting(name) {
  return execFileSync("npm", ["config", "get", name], { encoding: "utf8", stdio: "pipe" }).trim();
}

export class RootFileSystem {
  /** @param {string} cache folder in which the plain system is kept between runs */
  constructor(cache) {
    this.plain = join(cache, "root-file-system");
    this.dir = realpathSync(mkdtempSync(join(tmpdir(), "lockkeeper-root-")));
  }

  /**
   * Copies the minimal Debian system into a temporary folder and installs npm there. Creates the minimal system if it
   * is not in the cache.
   *
   * @param {{ npm: string }} folders
   */
  async prepare({ npm }) {
    if (!existsSync(this.plain)) await makePlainSystem(this.plain, this.dir);
    execFileSync("cp", ["-a", "--reflink=auto", `${this.plain}/.`, this.dir]);
    chmodSync(this.dir, 0o755);
    cpSync(npm, join(this.dir, "usr/lib/node_modules/npm"), { recursive: true, dereference: true });
    for (const name of ["npm", "npx"]) this.#writeCommand(name);
    for (const file of ["/etc/resolv.conf", "/etc/hosts"])
      if (existsSync(file)) copyFileSync(file, join(this.dir, file));
    this.#copyCertificates();
    this.resetHome();
  }

  /** @param {string} name */
  #writeCommand(name) {
    const file = join(this.dir, "usr/bin", name);
    writeFileSync(file, `#!/bin/sh\nexec /usr/bin/node /usr/lib/node_modules/npm/bin/${name}-cli.js "$@"\n`);
    chmodSync(file, 0o755);
  }

  /**
   * Copies the trusted certificates of this machine. The npm registry can be a mirror whose certificate only this
   * machine trusts.
   */
  #copyCertificates() {
    const file = process.env.NODE_EXTRA_CA_CERTS ?? CERTIFICATES;
    if (!existsSync(file)) return;
    mkdirSync(join(this.dir, dirname(CERTIFICATES)), { recursive: true });
    copyFileSync(file, join(this.dir, CERTIFICATES));
  }

  /** @param {string} binary path of the Node executable */
  installNode(binary) {
    const target = join(this.dir, "usr/bin/node");
    rmSync(target, { force: true });
    copyFileSync(binary, target);
    chmodSync(target, 0o755);
  }

  /**
   * Installs a Redis server with its shared libraries in a folder on PATH.
   *
   * @param {{ path: string, libraryPath?: string | undefined }} binary
   */
  installRedis({ path, libraryPath }) {
    const env = { PATH: process.env.PATH, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
    const libraries = execFileSync("ldd", [path], { encoding: "utf8", env }).matchAll(/=> (\/\S+)/g);
    for (const [, library = ""] of libraries) this.addFile(library, `/opt/redis/lib/${basename(library)}`);
    this.addFile(path, "/opt/redis/redis-server");
    chmodSync(join(this.dir, "opt/redis/redis-server"), 0o755);
    const wrapper = join(this.dir, "usr/bin/redis-server");
    writeFileSync(wrapper, '#!/bin/sh\nLD_LIBRARY_PATH=/opt/redis/lib exec /opt/redis/redis-server "$@"\n');
    chmodSync(wrapper, 0o755);
  }

  removeRedis() {
    rmSync(join(this.dir, "usr/bin/redis-server"), { force: true });
  }

  /**
   * Recreates the empty home folder of the user, which also removes npm's cache.
   *
   * @param {string} [registry] URL of the npm registry
   */
  resetHome(registry = readNpmSetting("registry")) {
    const home = join(this.dir, HOME);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    const settings = ["update-notifier=false", "fund=false", "audit=false"];
    settings.push(`registry=${registry}`);
    for (const name of ["proxy", "https-proxy"]) {
      const value = readNpmSetting(name);
      if (value !== "null" && value !== "undefined") settings.push(`${name}=${value}`);
    }
    writeFileSync(join(home, ".npmrc"), `${settings.join("\n")}\n`);
    for (const path of [home, join(home, ".npmrc")]) chownSync(path, USER_ID, USER_ID);
  }

  /**
   * Creates a folder that the user owns.
   *
   * @param {string} path path of the folder in the root file system
   */
  makeFolder(path) {
    mkdirSync(join(this.dir, path), { recursive: true });
    chownSync(join(this.dir, path), USER_ID, USER_ID);
    return path;
  }

  /**
   * Copies a file so that the user can read it.
   *
   * @param {string} file
   * @param {string} path path of the copy in the root file system
   */
  addFile(file, path) {
    mkdirSync(join(this.dir, dirname(path)), { recursive: true });
    copyFileSync(file, join(this.dir, path));
    chmodSync(join(this.dir, path), 0o644);
  }

  /**
   * Runs a command as the user, waits until it ends and returns its output.
   *
   * @param {string[]} command
   * @param {{ cwd: string, env?: Record<string, string> }} options
   */
  async run(command, { cwd, env = {} }) {
    const [program = "", ...args] = this.#enter(command, cwd, env);
    const { code, output } = await runChild(program, args, { cwd: "/", capture: true });
    if (code !== 0) throw new Error(`${command.join(" ")} ended with exit code ${code}:\n${output}`);
    return output;
  }

  /**
   * Starts a command as the user in a pseudo-terminal. `pid` returns the PID of the command, not of the program that
   * provides the terminal.
   *
   * @param {string[]} command
   * @param {{ cwd: string, env?: Record<string, string> }} options
   */
  start(command, { cwd, env = {} }) {
    const pidFile = join(this.dir, "tmp/command.pid");
    rmSync(pidFile, { force: true });
    const inner = this.#enter(command, cwd, env).map(quote).join(" ");
    const child = spawn("script", ["-qefc", `echo $$ > ${quote(pidFile)}; exec ${inner}`, "/dev/null"], {
      cwd: "/",
      env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "dumb" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (/** @type {Buffer} */ chunk) => {
        output += chunk.toString();
      });
    /** @type {Promise<number>} */
    const ended = new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
    return { output: () => output, ended, pid: () => Number(readFileSync(pidFile, "utf8")) };
  }

  /**
   * @param {string[]} command
   * @param {string} cwd
   * @param {Record<string, string>} env
   */
  #enter(command, cwd, env) {
    const variables = {
      HOME,
      PATH: "/usr/bin:/bin",
      NODE_EXTRA_CA_CERTS: CERTIFICATES,
      TERM: "dumb",
      ...env,
    };
    const inside = ["env", "-i", ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
    const steps = [
      `mount --rbind /dev ${quote(join(this.dir, "dev"))}`,
      `mount -t proc proc ${quote(join(this.dir, "proc"))} || mount --rbind /proc ${quote(join(this.dir, "proc"))}`,
      `exec chroot --userspec=${USER_ID}:${USER_ID} ${quote(this.dir)} /bin/sh -c 'cd "$0" && exec "$@"' ${[cwd, ...inside, ...command].map(quote).join(" ")}`,
    ];
    return ["unshare", "--mount", "/bin/sh", "-ec", steps.join("\n")];
  }

  remove() {
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
