/** The same server as `api-server.ts`, except that it builds no wait-for graph. */
import { WaitMonitor } from "../../../server/waits/wait-monitor.ts";
import { serveWithoutPages } from "../server-without-pages.ts";

// No lock is ever marked, so no waiters are read.
WaitMonitor.prototype.markKey = () => undefined;

await serveWithoutPages(process.env);
