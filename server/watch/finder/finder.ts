import { setTimeout as sleep } from "node:timers/promises";
import type { FinderReport } from "../../../lib/contract/detection/lock-finder.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { toKeyPattern } from "../../../lib/keys/key-pattern.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master, Masters } from "../../redis/master.ts";
import { readRunId } from "../scan/keyspace-scan.ts";
import { ScanCursor } from "../scan/scan-cursor.ts";
import { TimeBudget } from "../scan/time-budget.ts";
import { FoundLocks } from "./found-locks.ts";

/**
 * Share of time (0 to 1) that a search may use. The share is larger than for background scans, because a search runs
 * once and an operator waits for the result.
 */
const SCAN_SHARE = 0.2;
const SAVED_MS_MAX = 250;
const BATCH_SIZE = 50;
const TRIES = 10;
const RETRY_MS = 500;
/**
 * Number of keys that are always read for each pattern. If none of these keys is a lock, only a sample of the pattern's
 * other keys is read.
 */
const SAMPLE_MIN = 200;
const SAMPLE_ONE_OF = 20;
const NAMES_MAX = 20_000;
const NEVER_ABORTED = new AbortController().signal;

interface FinderDeps {
  readonly masters: Masters;
  readKeys(master: Master, keys: readonly Key[]): Promise<Observation[]>;
  isWatched(key: Key): boolean;
  /** Whether a lock with this key is always listed, even if it is only a possible lock. */
  isAlwaysListed(key: Key): boolean;
  /** The key patterns that the target watches. */
  readonly watch: readonly string[];
}

interface MasterScan {
  readonly master: Master;
  readonly discovery: ScanCursor;
  /** Run ID of the server process that returned the cursor; `undefined` if unknown. */
  readonly run: string | undefined;
}

/** The state of one search. */
interface FinderRun {
  readonly found: FoundLocks;
  readonly names: Map<string, { read: number; locks: number }>;
  readonly scans: readonly MasterScan[];
  readonly keys: number | null;
  readonly startedAt: number;
  skipped: number;
  ms: number;
}

/**
 * Scans all keys of a target, watched or not, and reports the locks among them. If the first keys with a given pattern
 * are not locks, reads only a sample of the other keys with this pattern.
 */
export class Finder {
  #state: FinderReport["state"] = "idle";
  #detail: string | undefined;
  #currentRun: FinderRun | undefined;
  #abortController = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #runningSince: number | undefined;

  constructor(private readonly deps: FinderDeps) {}

  /**
   * Starts a search. If `isRestart` is false, resumes the last search if that search was cancelled or failed and no
   * Redis server has restarted since it began. Has no effect while a search is running.
   */
  start(isRestart: boolean): void {
    if (this.#state === "running") return;
    const isResuming = !isRestart && (this.#state === "cancelled" || this.#state === "failed");
    this.#state = "running";
    this.#detail = undefined;
    this.#abortController = new AbortController();
    this.#running = this.#run(
      isResuming ? this.#currentRun : undefined,
      this.#running,
      this.#abortController.signal,
    );
  }

  cancel(): void {
    this.#abortController.abort();
    if (this.#state === "running") this.#state = "cancelled";
  }

  get report(): FinderReport {
    const run = this.#currentRun;
    const groups = run?.found.listGroups(this.deps) ?? [];
    // If the finder suggested the pattern `*`, Lockkeeper would watch the whole keyspace.
    const more = groups.filter(
      ({ isWatched, confidence, pattern }) => !isWatched && confidence !== "possible" && pattern !== "*",
    );
    const runningMs = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince;
    // Sum of the COUNT arguments. Redis can return more or fewer keys per call.
    const estimate = run?.scans.reduce((sum, { discovery: cursor }) => sum + cursor.scanned, 0) ?? 0;
    const scanned = this.#state === "done" ? (run?.keys ?? estimate) : estimate;
    return {
      state: this.#state,
      startedAt: run?.startedAt ?? null,
      ms: Math.round((run?.ms ?? 0) + runningMs),
      scanned: Math.min(scanned, run?.keys ?? scanned),
      keys: run?.keys ?? null,
      skipped: run?.skipped ?? 0,
      groups,
      watch:
        more.length === 0
          ? null
          : [...new Set([...this.deps.watch, ...more.map(({ pattern }) => pattern)])].join(","),
      ...(this.#detail === undefined ? {} : { detail: this.#detail }),
    };
  }

  async #run(known: FinderRun | undefined, before: Promise<void>, signal: AbortSignal): Promise<void> {
    await before;
    const began = performance.now();
    this.#runningSince = began;
    try {
      this.#currentRun =
        known !== undefined && (await isSameServerRun(known)) ? known : await this.#startRun();
      const budget = new TimeBudget(SCAN_SHARE, SAVED_MS_MAX);
      for (const scan of this.#currentRun.scans)
        await this.#scanMaster(scan, this.#currentRun, budget, signal);
      this.#state = "done";
    } catch (error) {
      if (!signal.aborted) {
        this.#state = "failed";
        this.#detail = `Redis did not respond (${error instanceof Error ? error.message : error}). Start the search again to resume.`;
      }
    }
    if (this.#currentRun !== undefined) this.#currentRun.ms += performance.now() - began;
    this.#runningSince = undefined;
  }

  async #startRun(): Promise<FinderRun> {
    const { list } = this.deps.masters;
    const sizes = await Promise.all(list.map(({ redis }) => redis.dbsize().catch(() => null)));
    const keys = sizes.every((size) => size !== null) ? sizes.reduce((sum, size) => sum + size, 0) : null;
    const walks = await Promise.all(
      list.map(async (master) => {
        const cursor = new ScanCursor(master.reads.shared, ["*"], () => {
          if (this.#currentRun !== undefined) this.#currentRun.skipped++;
        });
        return { master, discovery: cursor, run: await readRunId(master.redis) };
      }),
    );
    return {
      found: new FoundLocks(),
      names: new Map(),
      scans: walks,
      keys,
      startedAt: Date.now(),
      skipped: 0,
      ms: 0,
    };
  }

  async #scanMaster(
    { master, discovery: cursor }: MasterScan,
    run: FinderRun,
    budget: TimeBudget,
    signal: AbortSignal,
  ): Promise<void> {
    await retry(signal, async () => {
      for await (const keys of cursor.readPages(signal)) {
        const worth = keys.filter((key) => isWorthReading(run, key));
        run.skipped += keys.length - worth.length;
        // A cancelled search finishes the current page, so that it can resume with the next page.
        for (let at = 0; at < worth.length; at += BATCH_SIZE) {
          const startedAt = performance.now();
          const batch = worth.slice(at, at + BATCH_SIZE);
          recordFindings(run, await retry(signal, () => this.deps.readKeys(master, batch)));
          await budget.spend(performance.now() - startedAt, NEVER_ABORTED);
        }
        signal.throwIfAborted();
      }
    });
  }
}

async function retry<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (let tries = TRIES; ; tries--) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || tries === 1) throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

/**
 * Returns whether no server has restarted since the search began. A restart makes the cursor of the server invalid.
 * Returns false if a run ID is unknown.
 */
async function isSameServerRun({ scans }: FinderRun): Promise<boolean> {
  const runs = await Promise.all(scans.map(({ master }) => readRunId(master.redis)));
  return scans.every(({ run }, at) => run !== undefined && run === runs[at]);
}

/**
 * Returns whether to read the key. If no lock was found among the first keys of a pattern, only a sample of its other
 * keys is read, because a pattern of a cache or of sessions can match very many keys.
 */
function isWorthReading({ names }: FinderRun, key: Key): boolean {
  const name = toKeyPattern(key);
  const known = names.get(name);
  if (known === undefined) {
    if (names.size < NAMES_MAX) names.set(name, { read: 1, locks: 0 });
    return true;
  }
  known.read++;
  return known.locks > 0 || known.read <= SAMPLE_MIN || known.read % SAMPLE_ONE_OF === 0;
}

function recordFindings({ found, names }: FinderRun, seen: readonly Observation[]): void {
  for (const observation of seen) {
    if (observation.state !== "held" && observation.state !== "ended") continue;
    found.add(observation);
    const name = names.get(toKeyPattern(observation.key));
    if (name !== undefined) name.locks++;
  }
}
