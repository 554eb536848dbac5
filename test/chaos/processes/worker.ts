/** Uses locks in several contexts and records the calls, the replies and the losses of holds. */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { Journal } from "../history/journal.ts";
import { FAIR_WAIT_MS } from "../locks-under-test.ts";
import { Session } from "../workloads/session.ts";
import { HttpClient } from "./http-client.ts";
import type { LockingClient } from "./locking-client.ts";
import { listenForOrders } from "./orders.ts";
import { RecordingClient } from "./recording-client.ts";
import { ResourceClient } from "./resource-client.ts";
import { recordStalls } from "./stall-recorder.ts";
import type { LibraryAccess, WorkerTask } from "./task.ts";

type LockClientModule = typeof import("../../../server/locks/client/lock-client.ts");

const GIVEN_UP_MS = 100;
/**
 * Names of the errors that a client throws if it cannot reach its server. The classes cannot be compared because they
 * may belong to a mutant.
 */
const AWAY = ["TimeoutError", "StartupError"];

const task = JSON.parse(process.argv[2] ?? "{}") as WorkerTask;
const journal = new Journal(task.journal, task.epochNs, task.name);
const client = task.by.via === "http" ? await HttpClient.open(task.by) : await openClient(task.by);
const resource = await ResourceClient.open(task.resourcePort);
const stop = new AbortController();

listenForOrders(() => stop.abort());
recordStalls(journal);

/** Opens the client, and retries while the server is down, like a supervisor that starts the worker again. */
async function openClient({ core, where }: LibraryAccess): Promise<LockingClient> {
  const { LockClient }: LockClientModule = await import(
    pathToFileURL(`${core}/server/locks/client/lock-client.ts`).href
  );
  for (;;) {
    try {
      return await LockClient.open(where, { fairWaitMs: FAIR_WAIT_MS });
    } catch (error) {
      if (!(error instanceof Error) || !AWAY.includes(error.name)) throw error;
    }
  }
}

process.send?.("ready");
const random = createSeededRandom(task.seed);
const contexts = Array.from({ length: task.contexts }, (_, n) => {
  const name = `c${n + 1}`;
  const claimant = new RecordingClient(client, journal, name, stop.signal);
  const options = { name, task, client: claimant, resource, journal, random, stop: stop.signal };
  return new Session(options, client).run();
});
await Promise.all(contexts);
// Allows the clients to remove abandoned waits in the background.
await sleep(GIVEN_UP_MS);
client.close();
resource.close();
process.exit(0);
