/** Runs an API server like `npm start`, but without pages and with the lock core under test. */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Journal } from "../history/journal.ts";
import { FAIR_WAIT_MS } from "../locks-under-test.ts";
import { listenForOrders } from "./orders.ts";
import { recordStalls } from "./stall-recorder.ts";
import type { ApiTask } from "./task.ts";

type ServerProcessModule = typeof import("../../../server/server-process.ts");
type ConfigModule = typeof import("../../../server/config/config.ts");

const RESTART_MS = 100;

const task = JSON.parse(process.argv[2] ?? "{}") as ApiTask;
const journal = new Journal(task.journal, task.epochNs, task.name);
const importCore = (file: string) => import(pathToFileURL(`${task.core}/server/${file}`).href);
const { ServerProcess, stopOnSignals }: ServerProcessModule = await importCore("server-process.ts");
const { readConfig }: ConfigModule = await importCore("config/config.ts");
const config = readConfig(
  {
    REDIS_URL: task.redisUrl,
    PORT: String(task.port),
    LOCKKEEPER_ROOT_KEY: task.apiKey,
    LOCKKEEPER_LOG: "error",
    LOCKKEEPER_FAIR_WAIT_MS: String(FAIR_WAIT_MS),
  },
  [],
);

let service = new ServerProcess(config);
const end = stopOnSignals(() => service);
listenForOrders(() => void end(0));
recordStalls(journal);
await start();
journal.write({ op: "serving", type: "info" });
process.send?.("ready");

/** Starts the server, and retries while Redis is down, like a supervisor that starts the process again. */
async function start(): Promise<void> {
  for (;;) {
    try {
      await service.start({ hasTerminal: false, printLine: () => undefined });
      return;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "StartupError") throw error;
      await service.stop();
      await sleep(RESTART_MS);
      service = new ServerProcess(config);
    }
  }
}
