/** Takes locks of the library under test and writes down what it was told: invoked, answered, lost. */
import { pathToFileURL } from "node:url";
import { seeded } from "../../server/testing/random.ts";
import { NS_PER_MS } from "../history/entry.ts";
import { Journal } from "../history/journal.ts";
import { Claimant, type LockClientOf } from "./claimant.ts";
import { Resource } from "./resource-ask.ts";
import { Session } from "./session.ts";
import type { WorkerOrder, WorkerTask } from "./worker-task.ts";

const STALL_EVERY_MS = 20;
const STALL_MS_MIN = 60;

const task = JSON.parse(process.argv[2] ?? "{}") as WorkerTask;
const journal = new Journal(task.journal, task.epochNs, task.name);
const library: LockClientOf = await import(pathToFileURL(`${task.core}/server/locks/lock-client.ts`).href);
const client = await opened();
const resource = await Resource.open(task.resourcePort);
const stop = new AbortController();

const trueNow = Date.now;
let clockAheadMs = 0;
Date.now = () => trueNow() + clockAheadMs;

process.on("message", (order: WorkerOrder) => {
  if (order.order === "block") block(order.ms);
  else if (order.order === "clock") clockAheadMs = order.ms;
  else stop.abort();
});
// A worker without its harness is of no use to anybody.
process.on("disconnect", () => process.exit(0));

/** The server may be away when a worker begins; whoever starts a process would start it again. */
async function opened() {
  for (;;) {
    try {
      return await library.LockClient.open(task.where);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "TimeoutError") throw error;
    }
  }
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

let seenAt = journal.now();
setInterval(() => {
  const now = journal.now();
  const forMs = (now - seenAt) / NS_PER_MS;
  if (forMs > STALL_MS_MIN) journal.write({ op: "stall", type: "info", forMs }, seenAt);
  seenAt = now;
}, STALL_EVERY_MS).unref();

process.send?.("ready");
const random = seeded(task.seed);
const contexts = Array.from({ length: task.contexts }, (_, n) => {
  const name = `c${n + 1}`;
  const claimant = new Claimant(client, journal, name, stop.signal);
  return new Session({ name, task, claimant, resource, journal, random, stop: stop.signal }).run();
});
await Promise.all(contexts);
client.close();
resource.close();
process.exit(0);
