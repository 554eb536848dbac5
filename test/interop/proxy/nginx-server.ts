import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "../../support/test-redis.ts";
import { createTempDir, type Database, launchDatabase } from "../databases/server.ts";
import { HERE } from "../steps/cached-dir.ts";
import { getEnvironment, type NginxTool } from "../steps/nginx.ts";

/** Name of a file in docs/nginx, without its extension. */
export type NginxConf = "at-the-root" | "below-a-path" | "two-instances";

export interface Nginx extends Pick<Database, "stop"> {
  /** URL at which nginx listens. */
  readonly url: string;
}

/**
 * Starts nginx with a file in docs/nginx, in which the ports, the certificate and the base path are replaced.
 *
 * @param lockkeeperPorts ports of the instances that replace 127.0.0.1:3000, 127.0.0.1:3001, … in the file
 */
export async function startNginx(
  tool: NginxTool,
  conf: NginxConf,
  lockkeeperPorts: readonly number[],
  basePath = "",
): Promise<Nginx> {
  const dir = await createTempDir();
  const port = await findFreePort();
  const shown = readFileSync(join(HERE, `../../docs/nginx/${conf}.conf`), "utf8");
  const server = shown
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*\n/gm, "")
    .replace(/server 127\.0\.0\.1:300(\d)/g, (_, n) => `server 127.0.0.1:${lockkeeperPorts[Number(n)]}`)
    .replaceAll("location /api/", `location ${basePath}/api/`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(dir, name)};`,
  );
  const whole = [
    "daemon off;",
    "worker_processes 2;",
    // By default, workers of a root process run as `nobody`, which cannot write to this folder.
    ...(process.getuid?.() === 0 ? ["user root root;"] : []),
    `pid ${join(dir, "pid")};`,
    "error_log stderr error;",
    "events { worker_connections 512; }",
    `http {\naccess_log off;\n${paths.join("\n")}\n${server}}`,
  ];
  await mkdir(join(dir, "logs"), { recursive: true });
  await writeFile(join(dir, "nginx.conf"), whole.join("\n"));
  const url = `http://127.0.0.1:${port}`;
  const { stop } = await launchDatabase({
    command: tool.nginx,
    args: ["-e", "stderr", "-p", dir, "-c", join(dir, "nginx.conf")],
    options: { env: getEnvironment(tool) },
    endWith: "SIGTERM",
    checkReady: () => fetch(url),
  });
  return { url, stop };
}
