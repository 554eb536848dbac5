/** Starts the same server as `api-server.ts`, but without the wait-for graph. */
import { WaitMonitor } from "../../../server/waits/wait-monitor.ts";
import { serveWithoutPages } from "../server-without-pages.ts";

// Keys are never marked for reading, so the server reads no waiters.
WaitMonitor.prototype.markKey = () => undefined;

await serveWithoutPages(process.env);
