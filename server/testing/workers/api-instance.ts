/** A whole server without pages, as its environment says, in a process of its own: what it logs can be read. */
import { readConfig } from "../../config.ts";
import { Service } from "../../service.ts";

const service = new Service(readConfig(process.env, []));
await service.start((line) => process.stdout.write(`${line}\n`));
process.stdout.write(`port ${service.front.port}\n`);
process.on("disconnect", () => void service.stop().then(() => process.exit(0)));
