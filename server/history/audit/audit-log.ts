import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { AuditIntent, AuditOutcome, ChainPlace } from "../../../lib/contract/audit.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { createRefusedError } from "../../errors/refused-error.ts";
import {
  classifyFailure,
  findRefusal,
  isReplyError,
  isTransient,
  readErrorCode,
  UnexpectedReplyError,
} from "../../redis/failure.ts";
import { CHAIN_START, type ChainLink, linkEntries, type NewAuditEntry } from "./audit-chain.ts";
import { AUDIT_APPEND_MAX, type AuditAppendResult, type AuditStore, type ChainEnd } from "./audit-store.ts";

/** How long an action waits until its intent is written; then it does not happen. */
const WRITE_TIMEOUT_MS = 2000;
/** Outcomes wait so long for the next intent, which takes them along: by themselves they would keep it waiting. */
const BATCH_DELAY_MS = 5;
const PAUSE_MAX_MS = 500;
/** The process is cut off 1.8 s after it was asked to stop, of which its answers may take one. */
const STOP_MS = 700;

/** An intent that is about to be written, or what is written whenever that can be. */
interface PendingEntry {
  readonly entry: NewAuditEntry;
  /** performance.now(); an intent that is not written by then is refused. */
  readonly until: number;
  readonly settle: (error?: UnavailableError) => void;
  state: "waiting" | "written" | "refused";
}

interface AppendBatch {
  readonly parts: readonly PendingEntry[];
  readonly last: ChainLink;
}

export type NewIntent = Omit<AuditIntent, "number" | "at" | "kind">;

/**
 * Writes entries to the chain, in their order, with whatever other instances write there. What comes while a call is
 * under way goes together into the next one.
 *
 * A call whose answer was lost may have been carried out, or may be yet. So each one is remembered until either its
 * last entry was found in the chain, or the end has moved on without it: then the script will refuse it for ever.
 */
export class AuditLog {
  #queue: PendingEntry[] = [];
  /** undefined: to be asked for. null: there is no chain. */
  #head: ChainPlace | null | undefined;
  /** The last place that was certainly there. */
  #known: ChainPlace | undefined;
  /** The last place before a loss that was logged. */
  #loggedLoss: ChainPlace | undefined;
  /** Calls that may have been carried out, or may be yet. */
  #unconfirmed: AppendBatch[] = [];
  /** Intents whose outcome is not written yet; written again should the store lose them. */
  readonly #openIntents = new Map<string, NewAuditEntry>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isStopping = false;
  readonly #stopped = new AbortController();

  constructor(
    private readonly store: Pick<AuditStore, "append">,
    private readonly log?: Logger,
    private readonly writeTimeoutMs = WRITE_TIMEOUT_MS,
  ) {}

  /** Learns the end of the chain, so that its loss is noticed even before the first action. */
  async load(): Promise<void> {
    // What cannot be done is found again, and said, with the first action.
    if (this.#known === undefined && this.#running === undefined)
      await this.#fetchEnd().catch(() => undefined);
  }

  /** Resolves when it is written. @throws LockkeeperError unavailable: it is not, and what it is about must not be done */
  begin(intent: NewIntent): Promise<void> {
    const entry: NewAuditEntry = { kind: "intent", at: Date.now(), ...intent };
    return new Promise((resolve, reject) => {
      const settle = (error?: UnavailableError) => (error === undefined ? resolve() : reject(error));
      this.#add({ entry, until: performance.now() + this.writeTimeoutMs, settle, state: "waiting" });
    });
  }

  /** Written as soon as it can be, for as long as this process lives. */
  end(id: string, outcome: AuditOutcome): void {
    this.add({ kind: "outcome", at: Date.now(), id, outcome });
  }

  add(entry: NewAuditEntry): void {
    this.#add({ entry, until: Number.POSITIVE_INFINITY, settle: () => undefined, state: "waiting" });
  }

  /** Writes what is left, if that can be done soon. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#start();
    await Promise.race([this.#running, sleep(STOP_MS, undefined, { ref: false })]);
    this.#stopped.abort();
  }

  #add(pending: PendingEntry): void {
    this.#queue.push(pending);
    if (this.#stopped.signal.aborted) this.#refusePending(() => true, new Error("Lockkeeper stops"));
    else if (isAwaited(pending) || this.#isStopping) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), BATCH_DELAY_MS);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isPending) this.#running ??= this.#run();
  }

  get #isPending(): boolean {
    const isUnclear = this.#head === undefined && this.#unconfirmed.length > 0;
    // What gathers still would hold up the intents that come meanwhile.
    const isDue = this.#timer === undefined ? this.#queue.length > 0 : this.#queue.some(isAwaited);
    return (isDue || isUnclear) && !this.#stopped.signal.aborted;
  }

  async #run(): Promise<void> {
    for (let pauseMs = 10; this.#isPending; ) {
      try {
        await this.#writeNextBatch();
        pauseMs = 10;
        this.#isFailing = false;
      } catch (error) {
        this.#handleFailure(error, pauseMs);
        await sleep(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
      }
    }
    if (this.#stopped.signal.aborted) this.#refusePending(() => true, new Error("Lockkeeper stops"));
    // In the same turn as the last look at the queue: who comes now starts it anew.
    this.#running = undefined;
  }

  async #writeNextBatch(): Promise<void> {
    if (this.#head === undefined) return await this.#fetchEnd();
    const parts = this.#queue.slice(0, AUDIT_APPEND_MAX);
    const begin = this.#head === null ? (this.#known ?? CHAIN_START) : undefined;
    const first = begin === undefined ? [] : [createChainBegunEntry(this.#known)];
    const links = linkEntries(this.#head ?? begin ?? CHAIN_START, [
      ...first,
      ...parts.map(({ entry }) => entry),
    ]);
    const last = links.at(-1);
    if (last === undefined) return;
    const batch = { parts, last };
    this.#unconfirmed.push(batch);
    const compare = this.#comparedNumbers;
    const reply = await this.#sendBatch(batch, { head: this.#head ?? undefined, begin, links, compare });
    if (reply.outcome === "behind") return this.#adoptEnd(reply, compare);
    this.#unconfirmed = [];
    this.#head = { number: last.number, hash: last.hash };
    this.#known = this.#head;
    this.#markWritten(parts);
  }

  async #sendBatch(batch: AppendBatch, ask: Parameters<AuditStore["append"]>[0]): Promise<AuditAppendResult> {
    const head = this.#head;
    this.#head = undefined;
    try {
      const reply = await this.store.append(ask);
      this.#head = head;
      return reply;
    } catch (error) {
      // A fault is an answer, too: the script fails before it writes, or not at all.
      if (classifyFailure(error) !== "unknown")
        this.#unconfirmed = this.#unconfirmed.filter((one) => one !== batch);
      throw error;
    }
  }

  async #fetchEnd(): Promise<void> {
    const compare = this.#comparedNumbers;
    const reply = await this.store.append({ head: undefined, begin: undefined, links: [], compare });
    if (reply.outcome === "behind") this.#adoptEnd(reply, compare);
  }

  get #comparedNumbers(): number[] {
    return [this.#known?.number ?? 0, ...this.#unconfirmed.map(({ last }) => last.number)];
  }

  /** Goes on from the end that is there. */
  #adoptEnd(
    { end, hashes }: Extract<AuditAppendResult, { outcome: "behind" }>,
    compare: readonly number[],
  ): void {
    const hashOf = (number: number) => hashes[compare.indexOf(number)] ?? "";
    const found = this.#unconfirmed.filter(({ last }) => hashOf(last.number) === last.hash);
    this.#unconfirmed = this.#unconfirmed.filter((batch) => !found.includes(batch));
    for (const { parts } of found) this.#markWritten(parts);
    const known = this.#known;
    if (end === undefined) {
      this.#head = null;
      if (known !== undefined) this.#handleLoss([]);
      return;
    }
    if (!Number.isSafeInteger(end.head.number))
      throw new UnexpectedReplyError(
        `the audit ends at ${end.head.number}, which nothing of ours has written`,
      );
    if (known !== undefined && !isStillPresent(known, end, hashOf(known.number)))
      this.#handleLoss([{ kind: "entries_lost", at: Date.now(), known }]);
    this.#head = end.head;
    this.#known = end.head;
  }

  /** What others have to know of what was lost, and which actions were begun whose outcome is still to come. */
  #handleLoss(entries: readonly NewAuditEntry[]): void {
    // A store that is empty and takes nothing yet is found so again with each try.
    if (this.#loggedLoss !== this.#known)
      this.log?.error({ known: this.#known }, "the home store has lost entries of the audit");
    this.#loggedLoss = this.#known;
    const queued = new Set(this.#queue.map(({ entry }) => entry));
    const open = [...this.#openIntents.values()].filter((entry) => !queued.has(entry));
    const again = [...entries, ...open].map((entry) => ({
      ...{ entry, until: Number.POSITIVE_INFINITY, settle: () => undefined },
      state: "waiting" as const,
    }));
    this.#queue = [...again, ...this.#queue];
  }

  #markWritten(parts: readonly PendingEntry[]): void {
    for (const part of parts) {
      const { entry, state } = part;
      if (entry.kind === "outcome") this.#openIntents.delete(entry.id);
      if (entry.kind === "intent" && state === "waiting") this.#openIntents.set(entry.id, entry);
      if (entry.kind === "intent" && state === "refused") this.end(entry.id, NOT_BEGUN);
      if (state !== "waiting") continue;
      part.state = "written";
      part.settle();
    }
    this.#queue = this.#queue.filter(({ state }) => state === "waiting");
  }

  #handleFailure(error: unknown, pauseMs: number): void {
    const isLasting = classifyFailure(error) === "fault" || !isTransient(error);
    const now = performance.now();
    this.#refusePending(({ until }) => isLasting || until <= now + pauseMs, error);
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.log?.error(
      { err: error },
      "the audit cannot be written; what operators ask for is refused until it can",
    );
  }

  #refusePending(applies: (pending: PendingEntry) => boolean, cause: unknown): void {
    for (const pending of this.#queue) {
      if (pending.until === Number.POSITIVE_INFINITY || !applies(pending)) continue;
      pending.state = "refused";
      pending.settle(createNotRecordedError(cause));
    }
    this.#queue = this.#queue.filter(({ state }) => state === "waiting");
  }
}

const isAwaited = ({ until }: PendingEntry) => until !== Number.POSITIVE_INFINITY;

const NOT_BEGUN: AuditOutcome = { code: "not_begun" };

function createChainBegunEntry(known: ChainPlace | undefined): NewAuditEntry {
  return { kind: "chain_begun", at: Date.now(), after: known ?? null };
}

/** Whether an entry that was there still is, or was removed in order. */
function isStillPresent({ number, hash }: ChainPlace, { anchor }: ChainEnd, found: string): boolean {
  if (number < anchor.number || number === 0) return true;
  return number === anchor.number ? hash === anchor.hash : found === hash;
}

function createNotRecordedError(cause: unknown): UnavailableError {
  const reason = findRefusal(cause);
  if (reason !== undefined) {
    return createRefusedError(
      reason,
      "This is recorded before it is done, and the home store does not take the record. Nothing was done.",
      { cause },
    );
  }
  const errorCode = isReplyError(cause) ? readErrorCode(cause) : undefined;
  const why = errorCode === undefined ? "" : ` (${errorCode})`;
  return new UnavailableError(
    `This is recorded before it is done, and the home store does not take the record now${why}. Nothing was done; try again.`,
    { cause },
  );
}
