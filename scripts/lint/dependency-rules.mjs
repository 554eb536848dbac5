import { LAYERS, PARTS, USERS } from "./layers.mjs";

const TEST = "\\.test\\.tsx?$";
const escaped = (/** @type {string} */ text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** Returns a pattern for the files directly in a folder, without those in its subfolders. */
const filesIn = (/** @type {string} */ folder) => `^${escaped(folder)}/[^/]+$`;

const folders = LAYERS.map(([folder]) => folder);
const products = Object.keys(PARTS);

const layerRules = LAYERS.map(([folder], at) => {
  const [part = ""] = folder.split("/");
  const allowed = folders.slice(0, at + 1).filter((other) => isOfAny(other, importsOf(part)));
  const near = allowed.filter((other) => other !== folder && other.startsWith(`${part}/`)).slice(-6);
  return {
    name: `layer:${folder}`,
    comment: `${folder} may import ${near.length === 0 ? "no other folder" : `folders before it in scripts/lint/layers.mjs, such as ${near.join(", ")}`}. ${PARTS[/** @type {keyof typeof PARTS} */ (part)].why}`,
    severity: "error",
    from: { path: filesIn(folder), pathNot: TEST },
    to: { path: `^(${[...products, ...USERS].join("|")})/`, pathNot: allowed.map(filesIn) },
  };
});

function importsOf(/** @type {string} */ part) {
  return PARTS[/** @type {keyof typeof PARTS} */ (part)].imports;
}

function isOfAny(/** @type {string} */ folder, /** @type {readonly string[]} */ parts) {
  return parts.some((part) => folder === part || folder.startsWith(`${part}/`));
}

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-cycle",
      comment: "Two files import each other, types included. Move what both need into a third file.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "app-uses-the-runtime",
      comment: PARTS.app.why,
      severity: "error",
      from: { path: "^app/" },
      to: { path: "^(server|test|e2e|scripts|demo)/", pathNot: "^server/global-runtime\\.ts$" },
    },
    {
      name: "folder-has-a-layer",
      comment: "This folder has no line in scripts/lint/layers.mjs. Add it below the folders that import it.",
      severity: "error",
      from: { path: "^(lib|server|cli|packages|components)/", pathNot: [...folders.map(filesIn), TEST] },
      to: {},
    },
    {
      name: "ioredis-in-redis-code",
      comment: "Get connections from server/redis. Only folders that send commands may import ioredis.",
      severity: "error",
      from: {
        path: "^(lib|components|app|server|cli|packages)/",
        pathNot: ["^server/(redis|formats|locks|watch|history|home|auth|operator)/", TEST],
      },
      to: { path: "node_modules/ioredis" },
    },
    {
      name: "server-without-pages",
      comment: PARTS.server.why,
      severity: "error",
      from: { path: "^server/", pathNot: "^server/console-pages\\.ts$" },
      to: { path: "node_modules/(next|react|react-dom)/" },
    },
    {
      name: "browser-without-node",
      comment: PARTS.lib.why,
      severity: "error",
      from: { path: "^(lib|components)/", pathNot: TEST },
      to: { dependencyTypes: ["core"] },
    },
    ...layerRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(\\.next|node_modules/\\.cache)/" },
    enhancedResolveOptions: { extensions: [".ts", ".tsx", ".mjs", ".js", ".json"] },
    reporterOptions: { text: { highlightFocused: false } },
  },
};
