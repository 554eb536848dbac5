/** Takes locks and writes down what it was told: invoked, answered, lost. */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { Journal } from "../history/journal.ts";
import { Claimant } from "./claimant.ts";
import { HttpClient } from "./http-client.ts";
import type { LockingClient } from "./locking.ts";
import { obeyOrders } from "./obey.ts";
import { Resource } from "./resource-ask.ts";
import { Session } from "./session.ts";
import { writeStalls } from "./stalls.ts";
import type { LibraryDoor, WorkerTask } from "./task.ts";

type LockClientModule = typeof import("../../../server/locks/client/lock-client.ts");

const GIVEN_UP_MS = 100;

const task = JSON.parse(process.argv[2] ?? "{}") as WorkerTask;
const journal = new Journal(task.journal, task.epochNs, task.name);
const client = task.by.door === "http" ? new HttpClient(task.by) : await opened(task.by);
const resource = await Resource.open(task.resourcePort);
const stop = new AbortController();

obeyOrders(() => stop.abort());
writeStalls(journal);

/** The server may be away when a worker begins; whoever starts a process would start it again. */
async function opened({ core, where }: LibraryDoor): Promise<LockingClient> {
  const { LockClient }: LockClientModule = await import(
    pathToFileURL(`${core}/server/locks/client/lock-client.ts`).href
  );
  for (;;) {
    try {
      return await LockClient.open(where);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "TimeoutError") throw error;
    }
  }
}

process.send?.("ready");
const random = createSeededRandom(task.seed);
const contexts = Array.from({ length: task.contexts }, (_, n) => {
  const name = `c${n + 1}`;
  const claimant = new Claimant(client, journal, name, stop.signal);
  return new Session({ name, task, claimant, resource, journal, random, stop: stop.signal }).run();
});
await Promise.all(contexts);
// Waits that were given up are taken off their lists in the background.
await sleep(GIVEN_UP_MS);
client.close();
resource.close();
process.exit(0);
