import { execFile } from "node:child_process";
import { mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePort, findTestBinary } from "../test/support/test-redis.ts";

const run = promisify(execFile);
/**
 * Arguments of `unshare` that create a mount namespace, in which a test can mount a small file system. Most systems
 * require root for this.
 */
const IN_MOUNT_NAMESPACE = ["-m", "--propagation", "private", "sh", "-c"];
const canMount = await run("unshare", [...IN_MOUNT_NAMESPACE, "mount -t tmpfs tmpfs /mnt"]).then(
  () => true,
  () => false,
);

interface FailedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function createCacheDir(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-unwritable-")));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/**
 * Runs the shell script `prepare`, which may use `$cache` and `$source`, and then `command`. Returns the failure of
 * `command`.
 */
async function runWith(
  prepare: string,
  cache: string,
  command: readonly string[],
  more: Readonly<Record<string, string>>,
) {
  const { source, path } = await findTestBinary();
  const env = {
    ...{ PATH: "/usr/sbin:/usr/bin:/sbin:/bin", NODE_ENV: "test" as const, LOCKKEEPER_CACHE_DIR: cache },
    ...{ cache, source: resolve(".cache/redis-server") },
    ...(source === "configured" ? { REDIS_SERVER_BIN: path } : {}),
    ...more,
  };
  const script = `set -e; ${prepare}; set +e; "$@"; code=$?; ls -A "$cache" "$cache/redis" 2>/dev/null; exit $code`;
  const failure: Promise<FailedCommand> = run("unshare", [...IN_MOUNT_NAMESPACE, script, "sh", ...command], {
    env,
    timeout: 30_000,
  }).then(
    () => Promise.reject(new Error("it did not fail")),
    (error: FailedCommand) => error,
  );
  return await failure;
}

const SERVER = [process.execPath, "--import", "tsx", "server/main.ts"];
const startServer = async (prepare: string, cache: string) =>
  runWith(prepare, cache, SERVER, {
    PORT: "0",
    LOCKKEEPER_REDIS_PORT: String(await findFreePort()),
  });

const LINK = 'ln -s "$source" "$cache/redis-server"';
const FULL = `mount -t tmpfs -o size=16k tmpfs "$cache"; ${LINK}; mkdir "$cache/redis"; head -c 16k /dev/zero > "$cache/filler" || true`;
const READ_ONLY = `mount -t tmpfs tmpfs "$cache"; ${LINK}; mount -o remount,ro tmpfs "$cache"`;

describe.skipIf(!canMount)("file systems that cannot be written (needs the right to mount)", () => {
  test("a start on a full disk fails with one line and leaves no lock", async () => {
    const cache = await createCacheDir();
    const { code, stdout, stderr } = await startServer(FULL, cache);
    expect([code, stderr]).toEqual([
      1,
      `Lockkeeper cannot start: Cannot write to ${cache}/redis (ENOSPC: the disk is full). The embedded Redis keeps its data there: make it writable and free space, choose another folder with LOCKKEEPER_DATA_DIR, or set REDIS_URL.\n`,
    ]);
    expect(stdout).toBe(`${cache}:\nfiller\nredis\nredis-server\n\n${cache}/redis:\n`);
  });

  test("a start in a read-only file system fails with one line that names it", async () => {
    const cache = await createCacheDir();
    const { code, stderr } = await startServer(READ_ONLY, cache);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Lockkeeper cannot start: Cannot write to \S+\/redis \(EROFS: the file system is read-only\)\. [^\n]+\n$/,
    );
  });

  test("unpacking a Redis server into a read-only or full cache fails with one line", async () => {
    for (const [mount, why] of [
      ['mount -t tmpfs -o ro tmpfs "$cache"', "EROFS: the file system is read-only"],
      ['mount -t tmpfs -o size=4k,nr_inodes=1 tmpfs "$cache"', "ENOSPC: the disk is full"],
    ] as const) {
      const cache = await createCacheDir();
      const unpack = `import("./server/redis/embedded/server-unpack.ts").then(({ unpackRedisServer }) => unpackRedisServer(process.env.cache + "/redis-server/here", { works: async () => false, whatToDo: "Install one." })).catch((error) => { console.error(error.name + ": " + error.message); process.exit(1); })`;
      const { code, stderr } = await runWith(mount, cache, [...SERVER.slice(0, 3), "-e", unpack], {});
      expect(code).toBe(1);
      expect(stderr).toMatch(/^StartupError: Cannot write to [^\n]+\n$/);
      expect(stderr).toContain(`(${why})`);
    }
  });

  test("a setup that has to build in a read-only folder fails with one line", async () => {
    const cache = await createCacheDir();
    const setup = `import("./scripts/steps/lock.mjs").then(({ withLock }) => withLock(process.env.cache + "/.cache/setup-lock", async () => undefined)).catch((error) => { console.error(error.name + ": " + error.message); process.exit(1); })`;
    const command = [process.execPath, "-e", setup];
    const { code, stderr } = await runWith('mount -t tmpfs -o ro tmpfs "$cache"', cache, command, {});
    expect(code).toBe(1);
    expect(stderr).toMatch(/^StepError: .* \(EROFS: the file system is read-only\), [^\n]+\n$/);
  });
});

test("a cache whose place is taken by a file fails with one line", async () => {
  const dir = await createCacheDir();
  await symlink(resolve(".cache/redis-server"), join(dir, "redis-server"));
  await writeFile(join(dir, "redis"), "");
  const { preparePrivateDirectory } = await import("./redis/embedded/private-directory.ts");
  await expect(preparePrivateDirectory(join(dir, "redis"))).rejects.toThrow(
    `Cannot write to ${dir}/redis (EEXIST: a file is in its place).`,
  );
  expect(await readdir(dir)).toEqual(["redis", "redis-server"]);
});
