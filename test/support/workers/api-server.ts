/**
 * Runs a server without the console, configured by environment variables. Like `npm start`, the process exits on
 * signals. It also exits when its parent exits.
 */
import { readConfig } from "../../../server/config/config.ts";
import { ServerProcess, stopOnSignals } from "../../../server/server-process.ts";

const serverProcess = new ServerProcess(readConfig(undefined, []));
const stop = stopOnSignals(() => serverProcess);
process.on("disconnect", () => void stop(0));
const { runtime } = await serverProcess.start({ hasTerminal: false, printLine: () => undefined });
serverProcess.httpServer.attachPages((_incoming, outgoing) => void outgoing.writeHead(404).end());
while (!runtime.readiness.ready) await new Promise((resolve) => setTimeout(resolve, 5));
process.send?.(serverProcess.httpServer.port);
