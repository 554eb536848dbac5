// Lists the files that the built console needs at run time: those of its build, and those of the packages that it uses.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { listFiles } from "./package-files.mjs";

/** Entry points of Next that a custom server uses. */
const NEXT_ENTRIES = [
  "next/dist/server/next.js",
  "next/dist/server/lib/start-server.js",
  "next/dist/server/require-hook.js",
  "next/dist/server/next-server.js",
];

/**
 * Modules to leave out: those that standalone builds of Next leave out, and those that only a development server or
 * unused features need. sharp converts images, and the font metrics are for fonts of the pages router.
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

/** Parts of `.next` that only the build or a development server uses. */
const BUILD_ONLY = [
  /^(?:build|cache|dev|diagnostics|types)\//,
  /^(?:trace|trace-build|turbopack|lockkeeper-inputs|export-marker\.json)$/,
  /\.nft\.json$/,
  /\.map$/,
];

/**
 * Lists the files of installed packages that the console needs.
 *
 * @param {string} root of the repository, with a production build of the console
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
 * Lists the files of `.next` that the server reads or sends.
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
 * Lists the modules that each page loads, from the lists that the build writes.
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
