import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { findNode } from "./node-binaries.mjs";
import { findTool, runTool } from "./tools.mjs";

/** Major version of Node in the image. Node is copied from its npm package because no container registry is used. */
const NODE_MAJOR = 24;
const BASE_TAG = "localhost/lockkeeper-base";
const NODE_TAG = "localhost/lockkeeper-node";
const TAG = "localhost/lockkeeper";
const CA_FILE = "/etc/ssl/certs/ca-certificates.crt";
const SOURCES = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"];

const STAND_INS = `FROM scratch AS base
ADD base.tar /
FROM base AS node
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca.crt ${CA_FILE}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
`;

/** Returns the Debian release of this machine, such as `bookworm`; `undefined` on other systems. */
function findSuite() {
  const facts = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  return /^ID=debian$/m.test(facts) ? /^VERSION_CODENAME=(\w+)$/m.exec(facts)?.[1] : undefined;
}

/** Returns why this machine cannot build images, or `undefined` if it can. */
export function findObstacle() {
  if (process.platform !== "linux") return "it needs Linux";
  if (process.getuid?.() !== 0) return "it needs root";
  const missing = ["buildah", "mmdebstrap", "unshare", "chroot"].filter(
    (name) => findTool(name) === undefined,
  );
  if (missing.length > 0) return `this machine has no ${missing.join(" and no ")}`;
  if (findSuite() === undefined) return "its stand-ins are made from the packages of a Debian system";
  return undefined;
}

/** Builds the image with buildah from stand-ins for the two base images. The images are kept in a temporary storage. */
export class ImageBuild {
  /**
   * @param {{ root: string, folder: string, cache: string }} options `root`: the repository; `folder`: a temporary
   * folder; `cache`: a folder that is kept between runs
   */
  constructor({ root, folder, cache }) {
    this.root = root;
    this.folder = folder;
    this.cache = cache;
    this.suite = findSuite() ?? "stable";
    this.baseTar = join(cache, `${this.suite}.tar`);
    this.driver = "overlay";
  }

  /**
   * Chooses the storage driver: overlay mounts if this machine permits them, otherwise copies of the layers, which take
   * twice as long.
   */
  #chooseDriver() {
    try {
      this.#buildah("info");
    } catch {
      this.driver = "vfs";
    }
  }

  /** Creates the stand-ins for the base images from a minimal Debian system, which is kept in the cache, and Node. */
  async createStandIns() {
    this.#chooseDriver();
    const context = join(this.folder, "stand-ins");
    mkdirSync(context, { recursive: true });
    this.#bootstrap();
    copyFileSync(this.baseTar, join(context, "base.tar"));
    copyFileSync(await findNode(NODE_MAJOR, this.cache), join(context, "node"));
    cpSync(join(runTool("npm", ["root", "--global"]).trim(), "npm"), join(context, "npm"), {
      recursive: true,
    });
    copyFileSync(CA_FILE, join(context, "ca.crt"));
    writeFileSync(join(context, "Dockerfile"), STAND_INS);
    for (const [target, tag] of [
      ["base", BASE_TAG],
      ["node", NODE_TAG],
    ])
      this.#buildah(
        "build",
        "--isolation=chroot",
        "--layers=false",
        `--target=${target}`,
        `--tag=${tag}`,
        context,
      );
  }

  #bootstrap() {
    if (existsSync(this.baseTar)) return;
    mkdirSync(this.cache, { recursive: true });
    const partial = `${this.baseTar}.partial`;
    const sources = SOURCES.filter((file) => existsSync(file));
    // The official image has no documents, translations or package lists either.
    const excluded = ["doc", "man", "locale"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    const clean = '--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/*';
    const options = ["--quiet", "--variant=minbase", "--format=tar", ...excluded, clean];
    runTool("mmdebstrap", [...options, this.suite, partial, ...sources]);
    renameSync(partial, this.baseTar);
  }

  /** Builds the image from deploy/docker/Dockerfile. */
  build() {
    const npmrc = join(this.folder, "npmrc");
    writeFileSync(npmrc, readNpmSettings(), { mode: 0o600 });
    this.#buildah(
      "build",
      "--isolation=chroot",
      "--format=docker",
      "--layers=false",
      `--build-arg=NODE_IMAGE=${NODE_TAG}`,
      `--build-arg=BASE_IMAGE=${BASE_TAG}`,
      `--secret=id=npmrc,src=${npmrc}`,
      "--file=deploy/docker/Dockerfile",
      `--tag=${TAG}`,
      this.root,
    );
  }

  /** Mounts the image. Returns the path of its root folder and its configuration. */
  mount() {
    const container = this.#buildah("from", "--pull-never", TAG).trim();
    const root = this.#buildah("mount", container).trim();
    return { root, config: JSON.parse(this.#buildah("inspect", container)).Docker.config };
  }

  /** Size of the stand-in for the base image, in bytes. */
  get baseBytes() {
    return statSync(this.baseTar).size;
  }

  /** Unmounts the image and removes the storage. */
  remove() {
    try {
      this.#buildah("umount", "--all");
    } catch {
      // No image was mounted.
    }
    rmSync(join(this.folder, "storage"), { recursive: true, force: true });
  }

  /** @param {readonly string[]} args */
  #buildah(...args) {
    const storage = join(this.folder, "storage");
    const own = [`--root=${storage}/root`, `--runroot=${storage}/run`, `--storage-driver=${this.driver}`];
    return runTool("buildah", [...own, ...args], { cwd: this.root });
  }
}

/** Returns the npm settings of this machine, so that the build uses the same registry. */
function readNpmSettings() {
  const files = ["globalconfig", "userconfig"].map((name) => runTool("npm", ["config", "get", name]).trim());
  return files
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .concat(`registry=${runTool("npm", ["config", "get", "registry"]).trim()}`)
    .join("\n");
}
