import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createSeededRandom } from "../support/seeded-random.ts";
import { findFreePort } from "../support/test-redis.ts";
import type { Fault } from "./faults/fault.ts";
import { isLibraryOnly, listLocks } from "./locks-under-test.ts";
import type { ProcessSlot } from "./processes/process-group.ts";
import type { ApiTask, HttpAccess, LibraryAccess, WorkerTask } from "./processes/task.ts";
import type { Resources } from "./resources.ts";
import type { RunRequest } from "./run-request.ts";
import { Link } from "./servers/link.ts";
import { countServers, type Topology } from "./servers/topology.ts";

const LIBRARY_WORKERS = 5;
const HTTP_WORKERS = 2;
/**
 * Number of API servers. With two, one remains while the other is down, and a release through one must wake a waiter
 * that is connected to the other.
 */
const APIS = 2;
/** The shortest lease, as a fraction of the longest lease. */
const SHORTEST = 8 / 15;

export interface ChaosSettings extends RunRequest {
  /** Folder that contains `server/locks`, either of the repository or of a mutant. */
  readonly core: string;
  /** Folder in which each process writes its history. */
  readonly folder: string;
  readonly epochNs: string;
  readonly resourcePort: number;
}

/** Counts the targets that faults can affect, by type. */
export function countTargets({
  topology,
  kinds,
}: Pick<RunRequest, "topology" | "kinds">): Record<Fault["on"], number> {
  const hasApi = topology === "single" && !kinds.every(isLibraryOnly);
  return {
    worker: LIBRARY_WORKERS + (hasApi ? HTTP_WORKERS : 0),
    server: countServers(topology),
    api: hasApi ? APIS : 0,
    group: topology === "sentinel" || topology === "cluster" ? 1 : 0,
  };
}

/** The slots of all worker and API processes. Each slot has separate links to the servers that its process calls. */
export class ChaosProcesses {
  readonly workers: ProcessSlot[] = [];
  readonly apis: ProcessSlot[] = [];
  readonly #apiKey = randomBytes(24).toString("base64url");
  readonly #random: () => number;

  private constructor(
    private readonly settings: ChaosSettings,
    private readonly topology: Topology,
    private readonly resources: Resources,
  ) {
    this.#random = createSeededRandom(settings.seed ^ 0x5eed);
  }

  static async open(
    setting: ChaosSettings,
    topology: Topology,
    resources: Resources,
  ): Promise<ChaosProcesses> {
    const slots = new ChaosProcesses(setting, topology, resources);
    const counts = countTargets(setting);
    const ports: number[] = [];
    for (let n = 0; n < counts.api; n++) ports.push(await slots.#addApi(n, ports));
    for (let n = 0; n < LIBRARY_WORKERS; n++) await slots.#addLibraryWorker(n);
    for (let n = LIBRARY_WORKERS; n < counts.worker; n++) await slots.#addHttpWorker(n, ports);
    return slots;
  }

  async #addApi(n: number, taken: readonly number[]): Promise<number> {
    const links = await this.#openLinks(this.topology.servers.map(({ port }) => port));
    let port = await findFreePort();
    while (taken.includes(port)) port = await findFreePort();
    const task = (nth: number): ApiTask => ({
      ...this.#createTask(`api${n + 1}.${nth}`),
      core: this.settings.core,
      redisUrl: `redis://127.0.0.1:${links[0]?.port}`,
      port,
      apiKey: this.#apiKey,
    });
    this.apis.push({ links, createTask: task });
    return port;
  }

  async #addLibraryWorker(n: number): Promise<void> {
    const links = await this.#openLinks(this.topology.servers.map(({ port }) => port));
    const where = this.topology.getLocation(links.map(({ port }) => port));
    const by: LibraryAccess = { via: "library", core: this.settings.core, where };
    this.workers.push({ links, createTask: (nth) => this.#createWorkerTask(`w${n + 1}`, n, nth, by) });
  }

  /** Adds a worker that uses the HTTP API. Workers try the API servers in different orders. */
  async #addHttpWorker(n: number, ports: readonly number[]): Promise<void> {
    const links = await this.#openLinks([
      ...ports.slice(n % ports.length),
      ...ports.slice(0, n % ports.length),
    ]);
    const urls = links.map(({ port }) => `http://127.0.0.1:${port}`);
    const by: HttpAccess = { via: "http", core: this.settings.core, urls, apiKey: this.#apiKey };
    this.workers.push({ links, createTask: (nth) => this.#createWorkerTask(`h${n + 1}`, n, nth, by) });
  }

  async #openLinks(ports: readonly number[]): Promise<Link[]> {
    const links = await Promise.all(
      ports.map((port) => Link.open(port, this.#random, this.settings.latencyMs)),
    );
    this.resources.defer(() => {
      for (const link of links) link.close();
    });
    return links;
  }

  #createWorkerTask(slot: string, n: number, nth: number, by: WorkerTask["by"]): WorkerTask {
    const { format, leaseMs, contexts, kinds, locks, seed, resourcePort } = this.settings;
    return {
      ...this.#createTask(`${slot}.${nth}`),
      ...{ by, format, resourcePort },
      leaseMs: [Math.round(leaseMs * SHORTEST), leaseMs],
      locks: listLocks(kinds, locks),
      contexts,
      watchdog: n % 2 === 0 ? "on" : "off",
      seed: seed * 1009 + n * 101 + nth,
    };
  }

  #createTask(name: string) {
    const { folder, epochNs } = this.settings;
    return { name, epochNs, journal: join(folder, `${name}.jsonl`) };
  }
}
