// Lists the files that the built console needs at run time, from its build and from installed packages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { listFiles } from "./package-files.mjs";

/** Modules of Next that a custom server loads. */
const NEXT_ENTRIES = [
  "next/dist/server/next.js",
  "next/dist/server/lib/start-server.js",
  "next/dist/server/require-hook.js",
  "next/dist/server/next-server.js",
];

/**
 * Modules that are excluded from the package. Standalone builds of Next also exclude some of them. The others are only
 * needed by a development server or by features that the console does not use, such as image conversion (sharp) and
 * fonts of the pages router (font metrics).
 */
const IGNORED_MODULES = [
  "**/next/dist/server/lib/router-utils/setup-dev-bundler.js",
  "**/next/dist/server/dev/next-dev-server.js",
  "**/next/dist/server/capsize-font-metrics.json",
  "**/next/dist/compiled/@next/font/**",
  "**/next/dist/compiled/next-server/*-experimental.runtime.prod.js",
  "**/next/dist/compiled/next-server/**/*.dev.js",
  "**/next/dist/compiled/webpack/*",
  "**/next/dist/server/lib/route-resolver*",
  "**/next/dist/lib/upgrade/**/*",
  "**/next/dist/compiled/@mswjs/interceptors/ClientRequest/**/*",
  "**/next/dist/compiled/semver/semver/**/*.js",
  "**/next/dist/pages/**/*",
  "**/node_modules/react{,-dom,-dom-server-turbopack}/**/*.development.js",
  "**/node_modules/sharp/**/*",
  "**/node_modules/@img/**/*",
  "**/*.d.ts",
  "**/*.map",
];

/** Files and folders in `.next` that only the build or a development server uses. */
const BUILD_ONLY = [
  /^(?:build|cache|dev|diagnostics|types)\//,
  /^(?:trace|trace-build|turbopack|lockkeeper-inputs|export-marker\.json)$/,
  /\.nft\.json$/,
  /\.map$/,
];

/**
 * Lists the files of installed packages that the console needs.
 *
 * @param {string} root path of the repository, which must contain a production build of the console
 * @returns {Promise<string[]>} paths relative to `root`, sorted
 */
export async function traceModules(root) {
  const require = createRequire(join(root, "package.json"));
  const { nodeFileTrace } = require("next/dist/compiled/@vercel/nft");
  const { fileList } = await nodeFileTrace(
    NEXT_ENTRIES.map((name) => require.resolve(name)),
    { base: root, processCwd: root, mixedModules: true, moduleSyncCatchall: true, ignore: IGNORED_MODULES },
  );
  const files = [...fileList, ...listPageModules(root)].filter((file) => file.startsWith("node_modules/"));
  return [...new Set(files)].filter((file) => !/\.map$|\/sharp\/|\/@img\//.test(file)).sort();
}

/**
 * Lists the files in `.next` that the server reads or serves.
 *
 * @param {string} root
 * @returns {string[]} paths relative to `root`
 */
export function listBuiltFiles(root) {
  const folder = join(root, ".next");
  return listFiles(folder)
    .filter((file) => !BUILD_ONLY.some((pattern) => pattern.test(relative(folder, file))))
    .map((file) => relative(root, file));
}

/**
 * Lists the modules that pages load, according to the trace files that the build writes.
 *
 * @param {string} root
 */
function listPageModules(root) {
  const lists = listFiles(join(root, ".next/server")).filter((file) => file.endsWith(".nft.json"));
  return lists.flatMap((list) =>
    JSON.parse(readFileSync(list, "utf8")).files.map((/** @type {string} */ file) =>
      relative(root, resolve(dirname(list), file)),
    ),
  );
}
