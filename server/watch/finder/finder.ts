import { setTimeout as sleep } from "node:timers/promises";
import type { FinderReport } from "../../../lib/contract/detection/lock-finder.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { patternOf } from "../../../lib/keys/key-pattern.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master, Masters } from "../../redis/master.ts";
import { runOf } from "../scan/keyspace-scan.ts";
import { Discovery } from "../scan/scan-cursor.ts";
import { Pace } from "../scan/time-budget.ts";
import { Finds } from "./found-locks.ts";

/** Somebody waits for it, and it is done once. */
const SHARE = 0.2;
const SAVED_MS_MAX = 250;
const BATCH = 50;
const TRIES = 10;
const TRY_AGAIN_MS = 500;
/** Where so many of one name were no locks, only some of the others are looked at. */
const ENOUGH_TO_KNOW = 200;
const ONE_OF = 20;
const NAMES_MAX = 20_000;
const UNBROKEN = new AbortController().signal;

interface Surroundings {
  readonly masters: Masters;
  read(master: Master, keys: readonly Key[]): Promise<Observation[]>;
  isWatched(key: Key): boolean;
  /** What is watched now. */
  readonly watch: readonly string[];
}

interface Walk {
  readonly master: Master;
  readonly discovery: Discovery;
  /** Of which run of the server its cursor is; undefined: not known. */
  readonly run: string | undefined;
}

/** One pass, as far as it has come. */
interface Pass {
  readonly finds: Finds;
  readonly names: Map<string, { read: number; locks: number }>;
  readonly walks: readonly Walk[];
  readonly keys: number | null;
  readonly startedAt: number;
  skipped: number;
  ms: number;
}

/** Goes through all keys by their shape, whatever is watched, and tells which of them are locks. */
export class Finder {
  #state: FinderReport["state"] = "idle";
  #detail: string | undefined;
  #pass: Pass | undefined;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #runningSince: number | undefined;

  constructor(private readonly around: Surroundings) {}

  /** Begins, or goes on with what was cancelled or failed; one that is running is left alone. */
  start(anew: boolean): void {
    if (this.#state === "running") return;
    const isToGoOn = !anew && (this.#state === "cancelled" || this.#state === "failed");
    this.#state = "running";
    this.#detail = undefined;
    this.#stop = new AbortController();
    this.#running = this.#run(isToGoOn ? this.#pass : undefined, this.#running, this.#stop.signal);
  }

  cancel(): void {
    this.#stop.abort();
    if (this.#state === "running") this.#state = "cancelled";
  }

  get finding(): FinderReport {
    const pass = this.#pass;
    const groups = pass?.finds.groups((key) => this.around.isWatched(key)) ?? [];
    // Too many names to have anything in common would have everything watched.
    const more = groups.filter(
      ({ isWatched, confidence, pattern }) => !isWatched && confidence !== "possible" && pattern !== "*",
    );
    const runningMs = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince;
    const scanned = pass?.walks.reduce((sum, { discovery }) => sum + discovery.scanned, 0) ?? 0;
    return {
      state: this.#state,
      startedAt: pass?.startedAt ?? null,
      ms: Math.round((pass?.ms ?? 0) + runningMs),
      scanned: Math.min(scanned, pass?.keys ?? scanned),
      keys: pass?.keys ?? null,
      skipped: pass?.skipped ?? 0,
      groups,
      watch:
        more.length === 0
          ? null
          : [...new Set([...this.around.watch, ...more.map(({ pattern }) => pattern)])].join(","),
      ...(this.#detail === undefined ? {} : { detail: this.#detail }),
    };
  }

  async #run(known: Pass | undefined, before: Promise<void>, signal: AbortSignal): Promise<void> {
    await before;
    const began = performance.now();
    this.#runningSince = began;
    try {
      this.#pass = known !== undefined && (await isOfTheseRuns(known)) ? known : await this.#begin();
      const pace = new Pace(SHARE, SAVED_MS_MAX);
      for (const walk of this.#pass.walks) await this.#walk(walk, this.#pass, pace, signal);
      this.#state = "done";
    } catch (error) {
      if (!signal.aborted) {
        this.#state = "failed";
        this.#detail = `Redis did not answer (${error instanceof Error ? error.message : error}). Start it again to go on.`;
      }
    }
    if (this.#pass !== undefined) this.#pass.ms += performance.now() - began;
    this.#runningSince = undefined;
  }

  async #begin(): Promise<Pass> {
    const { list } = this.around.masters;
    const sizes = await Promise.all(list.map(({ redis }) => redis.dbsize().catch(() => null)));
    const keys = sizes.every((size) => size !== null) ? sizes.reduce((sum, size) => sum + size, 0) : null;
    const walks = await Promise.all(
      list.map(async (master) => {
        const discovery = new Discovery(master.redis, ["*"]);
        return { master, discovery, run: await runOf(master.redis) };
      }),
    );
    return { finds: new Finds(), names: new Map(), walks, keys, startedAt: Date.now(), skipped: 0, ms: 0 };
  }

  async #walk({ master, discovery }: Walk, pass: Pass, pace: Pace, signal: AbortSignal): Promise<void> {
    await patiently(signal, async () => {
      for await (const keys of discovery.pages(signal)) {
        const worth = keys.filter((key) => isWorthReading(pass, key));
        pass.skipped += keys.length - worth.length;
        // A page is read to its end, whoever cancels: the next one begins after it.
        for (let at = 0; at < worth.length; at += BATCH) {
          const startedAt = performance.now();
          const batch = worth.slice(at, at + BATCH);
          take(pass, await patiently(signal, () => this.around.read(master, batch)));
          await pace.rest(performance.now() - startedAt, UNBROKEN);
        }
        signal.throwIfAborted();
      }
    });
  }
}

async function patiently<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (let tries = TRIES; ; tries--) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || tries === 1) throw error;
      await sleep(TRY_AGAIN_MS, undefined, { signal });
    }
  }
}

/** A cursor says nothing to another run of the server. */
async function isOfTheseRuns({ walks }: Pass): Promise<boolean> {
  const runs = await Promise.all(walks.map(({ master }) => runOf(master.redis)));
  return walks.every(({ run }, at) => run !== undefined && run === runs[at]);
}

/** Caches and sessions are many, and of one shape: a name whose keys are no locks is looked at here and there. */
function isWorthReading({ names }: Pass, key: Key): boolean {
  const name = patternOf(key);
  const known = names.get(name);
  if (known === undefined) {
    if (names.size < NAMES_MAX) names.set(name, { read: 1, locks: 0 });
    return true;
  }
  known.read++;
  return known.locks > 0 || known.read <= ENOUGH_TO_KNOW || known.read % ONE_OF === 0;
}

function take({ finds, names }: Pass, seen: readonly Observation[]): void {
  for (const observation of seen) {
    if (observation.state !== "held" && observation.state !== "ended") continue;
    finds.add(observation);
    const name = names.get(patternOf(observation.key));
    if (name !== undefined) name.locks++;
  }
}
