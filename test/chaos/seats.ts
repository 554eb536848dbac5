import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createSeededRandom } from "../support/seeded-random.ts";
import { findFreePort } from "../support/test-redis.ts";
import type { Fault } from "./faults/fault.ts";
import type { Seat } from "./processes/process-group.ts";
import type { ApiTask, HttpDoor, LibraryDoor, WorkerTask } from "./processes/task.ts";
import type { Resources } from "./resources.ts";
import type { RunRequest } from "./run-request.ts";
import { Link } from "./servers/link.ts";
import { LOCKS, serversOf, type Topology, type TopologyName } from "./servers/topology.ts";

const LIBRARY_WORKERS = 5;
const HTTP_WORKERS = 2;
/** Two, so that one is left to ask while the other is away, and a release at one wakes who waits at the other. */
const APIS = 2;
/** The shortest lease, as a share of the longest. */
const SHORTEST = 8 / 15;

export interface Setting extends RunRequest {
  /** The folder that holds `server/locks`. */
  readonly core: string;
  /** Where each process writes its history. */
  readonly folder: string;
  readonly epochNs: string;
  readonly resourcePort: number;
}

/** How many there are of what faults befall. */
export function countsOn(topology: TopologyName): Record<Fault["on"], number> {
  const hasApi = topology === "single";
  return {
    worker: LIBRARY_WORKERS + (hasApi ? HTTP_WORKERS : 0),
    server: serversOf(topology),
    api: hasApi ? APIS : 0,
    group: topology === "sentinel" || topology === "cluster" ? 1 : 0,
  };
}

/** The places of all processes, each with ways of its own to the servers that it calls. */
export class Seats {
  readonly workers: Seat[] = [];
  readonly apis: Seat[] = [];
  readonly #apiKey = randomBytes(24).toString("base64url");
  readonly #random: () => number;

  private constructor(
    private readonly setting: Setting,
    private readonly topology: Topology,
    private readonly resources: Resources,
  ) {
    this.#random = createSeededRandom(setting.seed ^ 0x5eed);
  }

  static async open(setting: Setting, topology: Topology, resources: Resources): Promise<Seats> {
    const seats = new Seats(setting, topology, resources);
    const counts = countsOn(topology.name);
    const ports: number[] = [];
    for (let n = 0; n < counts.api; n++) ports.push(await seats.#addApi(n, ports));
    for (let n = 0; n < LIBRARY_WORKERS; n++) await seats.#addLibraryWorker(n);
    for (let n = LIBRARY_WORKERS; n < counts.worker; n++) await seats.#addHttpWorker(n, ports);
    return seats;
  }

  async #addApi(n: number, taken: readonly number[]): Promise<number> {
    const links = await this.#linksTo(this.topology.servers.map(({ port }) => port));
    let port = await findFreePort();
    while (taken.includes(port)) port = await findFreePort();
    const task = (nth: number): ApiTask => ({
      ...this.#named(`api${n + 1}.${nth}`),
      core: this.setting.core,
      redisUrl: `redis://127.0.0.1:${links[0]?.port}`,
      port,
      apiKey: this.#apiKey,
    });
    this.apis.push({ links, task });
    return port;
  }

  async #addLibraryWorker(n: number): Promise<void> {
    const links = await this.#linksTo(this.topology.servers.map(({ port }) => port));
    const where = this.topology.where(links.map(({ port }) => port));
    const by: LibraryDoor = { door: "library", core: this.setting.core, where };
    this.workers.push({ links, task: (nth) => this.#workerTask(`w${n + 1}`, n, nth, by) });
  }

  /** Each has another API server that it begins with. */
  async #addHttpWorker(n: number, ports: readonly number[]): Promise<void> {
    const links = await this.#linksTo([
      ...ports.slice(n % ports.length),
      ...ports.slice(0, n % ports.length),
    ]);
    const urls = links.map(({ port }) => `http://127.0.0.1:${port}`);
    const by: HttpDoor = { door: "http", urls, apiKey: this.#apiKey };
    this.workers.push({ links, task: (nth) => this.#workerTask(`h${n + 1}`, n, nth, by) });
  }

  async #linksTo(ports: readonly number[]): Promise<Link[]> {
    const links = await Promise.all(ports.map((port) => Link.open(port, this.#random)));
    this.resources.later(() => {
      for (const link of links) link.close();
    });
    return links;
  }

  #workerTask(seat: string, n: number, nth: number, by: WorkerTask["by"]): WorkerTask {
    const { format, leaseMs, contexts, seed, resourcePort } = this.setting;
    return {
      ...this.#named(`${seat}.${nth}`),
      ...{ by, format, resourcePort },
      leaseMs: [Math.round(leaseMs * SHORTEST), leaseMs],
      locks: LOCKS,
      contexts,
      watchdog: n % 2 === 0 ? "on" : "off",
      seed: seed * 1009 + n * 101 + nth,
    };
  }

  #named(name: string) {
    const { folder, epochNs } = this.setting;
    return { name, epochNs, journal: join(folder, `${name}.jsonl`) };
  }
}
