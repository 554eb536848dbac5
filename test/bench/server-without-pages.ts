import { readConfig } from "../../server/config/config.ts";
import { ServerProcess } from "../../server/server-process.ts";

/** Starts a Lockkeeper server without Next in this process. Resolves with its port once the server is ready. */
export async function serveWithoutPages(environment: Readonly<Record<string, string | undefined>>) {
  const service = new ServerProcess(readConfig({ ...environment, LOCKKEEPER_LOG: "error" }, []));
  const { runtime } = await service.start({ hasTerminal: false, printLine: () => undefined });
  while (!runtime.readiness.ready) await new Promise((resolve) => setTimeout(resolve, 10));
  return service.httpServer.port;
}
