// Builds the package lockkeeper, which contains the command line, the server and the built console.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { StepError } from "../steps/child.mjs";
import { prepare } from "../steps/prepare.mjs";
import { bundleModules } from "./bundled-modules.mjs";
import { listBuiltFiles, traceModules } from "./console-files.mjs";
import {
  compile,
  copyScripts,
  copyTo,
  DIST,
  findDependencies,
  listFiles,
  packFolder,
  ROOT,
  readRootManifest,
  readSharedFields,
} from "./package-files.mjs";
import { formatThirdPartyLicenses } from "./third-party-licenses.mjs";

/** The output folder of packages/lockkeeper/tsconfig.json. It has the same layout as the repository. */
const PACKAGE = join(DIST, "lockkeeper");

/** Packages that npm installs as dependencies of the package lockkeeper. */
const DEPENDENCIES = [
  "@node-rs/argon2",
  "@opentelemetry/api",
  "@opentelemetry/core",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace",
  "cluster-key-slot",
  "commander",
  "ioredis",
  "pino",
  "prom-client",
  "string-width",
  "zod",
  "zod-openapi",
];

/** Matches the build manifest. It contains the absolute path of the repository, which is replaced. */
const BUILD_MANIFEST = /^\.next\/required-server-files\.js(?:on)?$/;

/**
 * Builds the console if necessary, assembles the package in dist/lockkeeper and packs it to
 * dist/lockkeeper-<version>.tgz.
 *
 * @returns {Promise<import("./package-files.mjs").Packed>}
 */
export async function packLockkeeper() {
  rmSync(PACKAGE, { recursive: true, force: true });
  await prepare({ build: true, root: ROOT });
  await compile("packages/lockkeeper");
  const modules = listFiles(PACKAGE).filter((file) => file.endsWith(".js"));
  const scripts = copyScripts(PACKAGE, modules);
  assertPathsExist(modules);
  const dependencies = findDependencies(PACKAGE, modules, [...DEPENDENCIES, "next"]);
  copyConsole();
  const bundled = bundleModules(await traceModules(ROOT), {
    target: PACKAGE,
    separate: DEPENDENCIES,
  });
  const installed = dependencies.filter((name) => name !== "next");
  writeFileSync(
    join(PACKAGE, "package.json"),
    `${JSON.stringify(createManifest(installed, bundled), null, 2)}\n`,
  );
  const licenses = formatThirdPartyLicenses([...installed, ...Object.keys(bundled)]);
  writeFileSync(join(PACKAGE, "THIRD-PARTY-LICENSES.txt"), licenses);
  copyTo(join(ROOT, "packages/lockkeeper/README.md"), join(PACKAGE, "README.md"));
  copyTo(join(ROOT, "LICENSE"), join(PACKAGE, "LICENSE"));
  copyTo(join(ROOT, "scripts/pack/lockkeeper-bin.js"), join(PACKAGE, "bin/lockkeeper.js"));
  chmodSync(join(PACKAGE, "bin/lockkeeper.js"), 0o755);
  return {
    ...(await packFolder(PACKAGE)),
    modules: modules.length,
    scripts,
    dependencies: installed,
  };
}

/**
 * Checks that the package contains the files to which its modules refer by relative paths: modules, Lua files and
 * scripts.
 *
 * @param {readonly string[]} modules
 * @throws {StepError} if a file is missing
 */
function assertPathsExist(modules) {
  for (const file of modules) {
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/"(\.{0,2}\/?[\w./-]+\.(?:js|lua))"/g)) {
      if (/^\.{1,2}\/|\.lua$/.test(path) && !isPackaged(dirname(file), path))
        throw new StepError(`${relative(PACKAGE, file)} refers to ${path}, which is not in the package.`);
    }
  }
}

/**
 * Returns whether the package contains a file. A path without a folder also matches a file in a subfolder of `folder`,
 * because some modules add the subfolder at run time.
 *
 * @param {string} folder
 * @param {string} path
 */
function isPackaged(folder, path) {
  if (existsSync(join(folder, path))) return true;
  return !path.includes("/") && listFiles(folder).some((file) => file.endsWith(`/${path}`));
}

function copyConsole() {
  for (const file of [
    ...listBuiltFiles(ROOT),
    ...listFiles(join(ROOT, "public")).map((file) => relative(ROOT, file)),
  ]) {
    const copy = join(PACKAGE, file);
    copyTo(join(ROOT, file), copy);
    if (!BUILD_MANIFEST.test(file)) continue;
    writeFileSync(copy, readFileSync(copy, "utf8").replaceAll(ROOT.replace(/\/$/, ""), "."));
  }
}

/**
 * Creates the package.json.
 *
 * @param {readonly string[]} dependencies
 * @param {Record<string, string>} bundled versions of the packages that are bundled in the tarball, by name
 */
export function createManifest(dependencies, bundled) {
  const root = readRootManifest();
  const ranges = Object.fromEntries(dependencies.map((name) => [name, root.dependencies[name]]));
  return {
    name: "lockkeeper",
    ...readSharedFields(),
    description: "A web console, an API and a command line for distributed locks in Redis",
    keywords: [
      "lock",
      "mutex",
      "distributed-lock",
      "redis",
      "valkey",
      "redlock",
      "redisson",
      "console",
      "cli",
    ],
    engines: { node: ">=20.9" },
    bin: { lockkeeper: "bin/lockkeeper.js" },
    exports: { "./package.json": "./package.json" },
    files: ["bin", "cli", "server", "lib", ".next", "public", "THIRD-PARTY-LICENSES.txt"],
    dependencies: Object.fromEntries(
      Object.entries({ ...ranges, ...bundled }).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    bundleDependencies: Object.keys(bundled).sort(),
  };
}
