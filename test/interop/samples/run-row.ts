import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { encodeKeyPath } from "../../../lib/keys/key.ts";
import type { Semaphore } from "../../../server/concurrency/semaphore.ts";
import { ROOT_KEY, type TestServer } from "../../support/test-server.ts";
import { CHILD_SCRIPT, SampleCopy } from "./copy.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import type { LockWatch, SeenHold } from "./lock-watch.ts";
import { poll, runWithin } from "./pace.ts";
import { killProcesses, listProcesses, listWriters } from "./processes.ts";
import { findLogFaults, type LogLine, readLog } from "./row-log.ts";
import { LEASE_MS, type Row, waitForMiddle } from "./rows.ts";
import type { PreparedSample, Work } from "./sample-runner.ts";

const STARTS_WITHIN_MS = 15_000;
const ENDS_WITHIN_MS = 30_000;
const GONE_WITHIN_MS = 1500;
const LATE_MS = 200;
/**
 * Maximum time in ms until a holder notices the loss of its lock: a third of the lease, which is the interval of
 * renewals, and a tolerance.
 */
const NOTICED_WITHIN_MS = LEASE_MS / 3 + 500;

export interface MatrixContext {
  readonly server: TestServer;
  readonly watch: LockWatch;
  readonly dir: string;
  readonly keyPrefix: string;
  /**
   * Limits the number of simultaneous starts. Starting a program uses more CPU time than running it, and starts that
   * are delayed would disturb the timing of other rows.
   */
  readonly starts: Semaphore;
}

export interface RowResult {
  /** The result line `<program> <work> <row>: …`, as shown in the README. */
  readonly line: string;
  readonly faults: readonly string[];
  /**
   * Whether mutual exclusion was violated. Other faults may also occur on a busy machine, if a program loses its lock
   * before the event of the row.
   */
  readonly isUnsafe: boolean;
}

/** Runs a row with two copies of a sample, and checks the log and the observed holds. */
export async function runRow(
  context: MatrixContext,
  sample: PreparedSample,
  work: Work,
  row: Row,
): Promise<RowResult> {
  const proxy = await FaultyProxy.start(context.server.url);
  const run = new RowRun(context, sample, proxy, work, row);
  try {
    return await run.run();
  } finally {
    run.kill();
    proxy.stop();
  }
}

class RowRun {
  readonly #id = randomUUID();
  readonly #key: string;
  readonly #logFile: string;
  readonly #faults: string[] = [];
  #isUnsafe = false;
  readonly #copies: SampleCopy[] = [];
  #actedAt = Number.NaN;

  constructor(
    private readonly context: MatrixContext,
    private readonly sample: PreparedSample,
    private readonly proxy: FaultyProxy,
    private readonly work: Work,
    private readonly row: Row,
  ) {
    this.#key = `${context.keyPrefix}${this.#id}`;
    this.#logFile = join(context.dir, `${this.#id}.log`);
  }

  async run(): Promise<RowResult> {
    const { row, proxy } = this;
    row.arrange?.(proxy);
    proxy.onRequest = (verb) => {
      if (verb === "release") this.#checkStopped();
    };
    try {
      const { first, second } = await runWithin(this.context.starts, () => this.#startBoth());
      if (row.act !== undefined) await waitForMiddle();
      this.#actedAt = Date.now();
      await row.act?.({ first, proxy, forceRelease: (reservedMs) => this.#forceRelease(reservedMs) });
      await poll(() => first.status !== undefined && second.status !== undefined, ENDS_WITHIN_MS);
      return await this.#check(first, second);
    } catch (error) {
      const line = `${this.#name}: ${error instanceof Error ? error.message : error}`;
      return { line, faults: [...this.#faults, this.#describeOutput()], isUnsafe: this.#isUnsafe };
    }
  }

  /** Starts the first copy and, once it works under the lock, the second copy, which then waits for the lock. */
  async #startBoth(): Promise<{ first: SampleCopy; second: SampleCopy }> {
    const first = this.#start(1);
    const isWorking = async () => (await readLog(this.#logFile)).length > 0;
    await poll(async () => first.status !== undefined || (await isWorking()), STARTS_WITHIN_MS);
    const second = this.#start(2);
    const { server } = this.context;
    const isWaiting = async () => (await server.readLock(this.#key)).waiters.count > 0;
    await poll(async () => first.status !== undefined || (await isWaiting()), STARTS_WITHIN_MS);
    return { first, second };
  }

  kill(): void {
    for (const copy of this.#copies) {
      copy.kill();
      killProcesses(copy.options.run);
    }
  }

  get #name(): string {
    return `${this.sample.runner.fileName} ${this.work} ${this.row.name}`;
  }

  #start(copy: 1 | 2): SampleCopy {
    const { row, work, context } = this;
    const started = new SampleCopy(this.sample, {
      run: `${this.#id}-${copy}`,
      copy,
      url: copy === 1 ? this.proxy.url : context.server.url,
      apiKey: ROOT_KEY,
      key: this.#key,
      leaseMs: LEASE_MS,
      waitMs: copy === 1 ? 10_000 : 30_000,
      work,
      workMs: copy === 1 ? row.workMs : 1000,
      end: copy === 1 ? row.end : "complete",
      logFile: this.#logFile,
      isFenced: row.isFenced ?? false,
    });
    this.#copies.push(started);
    return started;
  }

  async #forceRelease(reservedMs?: number): Promise<void> {
    const path = `/locks/${encodeKeyPath(this.#key)}`;
    const { body: lock } = await this.context.server.call(path);
    const body = { expectedVersion: lock.version, reason: "kill matrix", reservedMs };
    const reply = await this.context.server.call(`${path}/force-release`, { body });
    if (reply.status !== 200) throw new Error(`force-release failed: ${JSON.stringify(reply.body)}`);
    this.#actedAt = Date.now();
  }

  /**
   * Checks that no child process of the first copy is working after the release. Such a child would work at the same
   * time as the next holder.
   */
  #checkStopped(): void {
    const count = listWriters(`${this.#id}-1`, CHILD_SCRIPT).length;
    this.#expectSafe(count === 0, `released while ${count} child processes were working`);
  }

  async #check(first: SampleCopy, second: SampleCopy): Promise<RowResult> {
    const lines = await readLog(this.#logFile);
    const holds = this.context.watch.listHolds(this.#key);
    const hold = holds[0];
    const last = lines.findLast(({ copy }) => copy === 1);
    const next = lines.find(({ copy }) => copy === 2);
    if (hold === undefined || last === undefined) throw new Error("it did no work");
    // A force-release ends the hold before the holder can know, so the holder may work until the deadline of its last
    // renewal.
    const isForced = this.row.name.startsWith("force");
    const leaseEnd = isForced ? hold.deadline : (hold.endedAt ?? hold.deadline);
    for (const fault of findLogFaults(lines)) this.#expectSafe(false, fault);
    this.#expect(next !== undefined, "the second copy wrote nothing");
    this.#expect(second.status === 0, `the second copy ended with ${second.status}`);
    this.#expect(first.status === this.row.status, `expected status ${this.row.status}`);
    this.#expectSafe(last.at <= leaseEnd + LATE_MS, "wrote after its lease had ended");
    this.#checkRow(hold, holds.length, lines, last, first);
    await this.#checkProcesses();
    await this.#checkRejected();
    const beforeEnd = leaseEnd - last.at;
    const gapMs = next === undefined ? "never" : `after ${next.at - leaseEnd} ms`;
    const line = `${this.#name}: last line ${Math.abs(beforeEnd)} ms ${beforeEnd < 0 ? "after" : "before"} the end of the lease, second copy ${gapMs}, status ${first.status}`;
    if (this.#faults.length > 0) this.#faults.push(this.#describeOutput());
    return { line, faults: this.#faults, isUnsafe: this.#isUnsafe };
  }

  #checkRow(hold: SeenHold, holdCount: number, lines: LogLine[], last: LogLine, first: SampleCopy): void {
    const { row } = this;
    const releases = this.proxy.requests.filter(({ verb }) => verb === "release");
    if (row.releases) {
      const endedAt = hold.endedAt ?? Number.POSITIVE_INFINITY;
      this.#expect(endedAt <= (first.endedAt ?? 0) + 1000, "not released within a second");
      this.#expect(hold.deadline - endedAt > 200, "expired rather than released");
      this.#expectSafe((releases[0]?.at ?? 0) >= last.at, "wrote after it had sent the release");
      this.#expect(holdCount === 2, `the lock was acquired ${holdCount} times`);
    }
    if (row.status === 0) {
      const count = lines.filter(({ copy }) => copy === 1).length;
      this.#expect(count > row.workMs / 250, `wrote ${count} lines alone`);
      this.#expect(last.at - (lines[0]?.at ?? 0) > row.workMs - 1000, "did not work to its end");
    }
    const isNoticed = row.name.startsWith("force") || row.name.startsWith("sig");
    if (isNoticed && !row.isFenced && row.name !== "sigstop") {
      this.#expect(last.at - this.#actedAt < NOTICED_WITHIN_MS, "went on for too long");
    }
  }

  async #checkProcesses(): Promise<void> {
    const list = () => [1, 2].flatMap((copy) => listProcesses(`${this.#id}-${copy}`));
    await poll(() => list().length === 0, GONE_WITHIN_MS).catch(() => undefined);
    for (const { args } of list()) this.#expectSafe(false, `still running: ${args.join(" ").slice(0, 200)}`);
  }

  /**
   * Checks that a late write of the first copy was rejected. Otherwise, the row would not have tested the fencing
   * token.
   */
  async #checkRejected(): Promise<void> {
    if (!this.row.isFenced) return;
    const rejected = await stat(`${this.#logFile}.rejected`).catch(() => undefined);
    this.#expect(rejected !== undefined, "no late line was rejected");
  }

  #expectSafe(holds: boolean, fault: string): void {
    this.#isUnsafe ||= !holds;
    this.#expect(holds, fault);
  }

  #expect(holds: boolean, fault: string): void {
    if (!holds) this.#faults.push(fault);
  }

  #describeOutput(): string {
    const requests = this.proxy.requests.map(({ at, verb, fault }) => `${at} ${verb} ${fault}`).join("\n");
    const outputs = this.#copies.map(({ output, status }) => `status ${status}: ${output}`).join("\n");
    return `${outputs}\n${requests}`;
  }
}
