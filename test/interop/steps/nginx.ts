import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { findLibraryPath, unpackPackage } from "./packages.ts";

const FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

export interface NginxTool {
  readonly nginx: string;
  readonly libraryPath?: string;
}

/**
 * Finds nginx on this machine, or else unpacks it from the distribution's package.
 *
 * @throws Skip if nginx is not available
 */
export async function provideNginx(): Promise<NginxTool> {
  const installed = findProgram("nginx", FOLDERS);
  const tool = installed === undefined ? await unpack() : { nginx: installed };
  await run(tool.nginx, ["-v"], { limitMs: 10_000, env: getEnvironment(tool) }).catch((error: unknown) => {
    throw new Skip(`nginx does not run here: ${formatReason(error)}`);
  });
  return tool;
}

export function getEnvironment({ libraryPath }: NginxTool): NodeJS.ProcessEnv {
  return libraryPath === undefined ? process.env : { ...process.env, LD_LIBRARY_PATH: libraryPath };
}

async function unpack(): Promise<NginxTool> {
  const root = await unpackPackage("nginx");
  return { nginx: join(root, "usr/sbin/nginx"), libraryPath: await findLibraryPath(root) };
}
