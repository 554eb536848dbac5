import { readConfig } from "../../server/config/config.ts";
import { ServerProcess } from "../../server/server-process.ts";

/** Starts a Lockkeeper server in this process, without Next. Resolves with its port once the index is complete. */
export async function serveWithoutPages(environment: Readonly<Record<string, string | undefined>>) {
  const service = new ServerProcess(readConfig({ ...environment, LOCKKEEPER_LOG: "error" }, []));
  const { runtime } = await service.start({ hasTerminal: false, printLine: () => undefined });
  while (!runtime.readiness.ready) await new Promise((resolve) => setTimeout(resolve, 10));
  return service.httpServer.port;
}
