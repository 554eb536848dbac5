import { join } from "node:path";
import { run } from "../children.ts";
import { reasonOf, Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { libraryPathOf, unpacked } from "./packages.ts";

const FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

export interface NginxTool {
  readonly nginx: string;
  readonly libraryPath?: string;
}

/** nginx: the machine's, or one unpacked from the distribution. @throws Skip */
export async function provideNginx(): Promise<NginxTool> {
  const installed = findProgram("nginx", FOLDERS);
  const tool = installed === undefined ? await unpack() : { nginx: installed };
  await run(tool.nginx, ["-v"], { limitMs: 10_000, env: environmentOf(tool) }).catch((error: unknown) => {
    throw new Skip(`nginx does not run here: ${reasonOf(error)}`);
  });
  return tool;
}

export function environmentOf({ libraryPath }: NginxTool): NodeJS.ProcessEnv {
  return libraryPath === undefined ? process.env : { ...process.env, LD_LIBRARY_PATH: libraryPath };
}

async function unpack(): Promise<NginxTool> {
  const root = await unpacked("nginx");
  return { nginx: join(root, "usr/sbin/nginx"), libraryPath: await libraryPathOf(root) };
}
