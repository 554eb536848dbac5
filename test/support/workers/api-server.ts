/** A whole server but for its pages, told by its environment what it is; ends by signals, as `npm start` does, and with its parent. */
import { readConfig } from "../../../server/config/config.ts";
import { endOnSignals, Service } from "../../../server/server-process.ts";

const service = new Service(readConfig(undefined, []));
const end = endOnSignals(() => service);
process.on("disconnect", () => void end(0));
const { runtime } = await service.start(() => undefined);
service.front.servePages((_incoming, outgoing) => void outgoing.writeHead(404).end());
while (!runtime.readiness.ready) await new Promise((resolve) => setTimeout(resolve, 5));
process.send?.(service.front.port);
