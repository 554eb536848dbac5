import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, setStandaloneConfig } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { setConsoleFolder } from "./global-runtime.ts";
import type { HttpServer, PageHandler } from "./http/http-server.ts";

const require = createRequire(import.meta.url);
/** Path of the checkout or of the installed package. The folder contains `.next` and `public`, and may be read-only. */
const FOLDER = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** The fields of `.next/required-server-files.json` that Lockkeeper reads. */
interface BuildManifest {
  readonly config: { readonly basePath?: string };
}

/**
 * Loads Next and the pages of the console. Does not depend on the working directory.
 *
 * @param front the server that receives the requests
 * @param port the port of `front`, from which Next builds URLs
 * @throws StartupError if the console is not built, or was built for another base path
 */
export async function loadPages(config: Config, front: HttpServer, port: number): Promise<PageHandler> {
  const isDevelopment = config.mode === "development";
  if (!isDevelopment) await prepareBuild(config);
  setConsoleFolder(FOLDER);
  const { default: next } = await import("next");
  const app = next({
    dev: isDevelopment,
    dir: FOLDER,
    hostname: config.host,
    port,
    httpServer: front.server,
  });
  await app.prepare();
  return app.getRequestHandler();
}

/** Makes Next use the configuration of the build, as a standalone build does, instead of reading next.config.js. */
async function prepareBuild({ basePath }: Config): Promise<void> {
  const { config } = await readBuildManifest();
  const builtFor = config.basePath ?? "";
  if (builtFor !== basePath) throw new StartupError(explainBasePath(basePath, builtFor, getOrigin()));
  setStandaloneConfig(JSON.stringify(config));
  // Next caches the configuration. Without this call, Next would read it later and print how long that took.
  const configModule: typeof import("next/dist/server/config.js") = require("next/dist/server/config.js");
  await configModule.default("phase-production-server", FOLDER);
}

async function readBuildManifest(): Promise<BuildManifest> {
  try {
    return JSON.parse(await readFile(join(FOLDER, ".next/required-server-files.json"), "utf8"));
  } catch {
    throw new StartupError("The console is not built. Run `npm start`, or `npx next build` once.");
  }
}

/**
 * Returns the error message for a console that was built for another base path. The message includes the remedy, which
 * differs between a checkout and an installed package.
 */
export function explainBasePath(basePath: string, builtFor: string, origin: "checkout" | "package"): string {
  const place = builtFor === "" ? "the root of a host" : `the base path ${builtFor}`;
  const given = basePath === "" ? "not set" : basePath;
  const fact = `The console is built for ${place}, but LOCKKEEPER_BASE_PATH is ${given}.`;
  if (origin === "checkout") return `${fact} Run \`npm start\` to rebuild it.`;
  if (basePath === "") return `${fact} Set LOCKKEEPER_BASE_PATH=${builtFor}.`;
  const remedy = builtFor === "" ? "Unset the variable" : `Set it to ${builtFor}`;
  return `${fact} ${remedy}, or build a package for this path in a checkout: \`LOCKKEEPER_BASE_PATH=${basePath} npm run pack\`.`;
}

function getOrigin(): "checkout" | "package" {
  return existsSync(join(FOLDER, "next.config.js")) ? "checkout" : "package";
}
