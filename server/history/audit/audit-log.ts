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

/** Time limit in ms for writing an intent. If the intent is not written in time, the action is refused. */
const WRITE_TIMEOUT_MS = 2000;
/** Maximum delay in ms of an outcome, so that it can be written together with later entries. */
const BATCH_DELAY_MS = 5;
const PAUSE_MAX_MS = 500;
/**
 * Time limit in ms for writing the last entries on shutdown. The process exits 1.8 s after the request to stop, of
 * which open responses may take up to 1 s.
 */
const STOP_MS = 700;

/** An entry in the queue: an intent with a deadline, or another entry, which has no deadline. */
interface PendingEntry {
  readonly entry: NewAuditEntry;
  /** Deadline (`performance.now()` in ms) after which an intent is refused. Infinity for other entries. */
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
 * Appends entries to the audit chain, in order. Other instances append to the same chain. Entries that are added while
 * an append is in progress are written by the next append.
 *
 * An append without a reply may have been executed or may be executed later. The log remembers such an append until its
 * last entry is found in the chain, or until the chain has grown without that entry. In the second case, the script
 * rejects the append if it is executed later.
 */
export class AuditLog {
  #queue: PendingEntry[] = [];
  /** The end of the chain. `undefined` if the end must be read from the store, `null` if there is no chain. */
  #head: ChainPlace | null | undefined;
  /** The last place that is known to have been in the chain. Used to detect that the store has lost entries. */
  #known: ChainPlace | undefined;
  /** The value of `#known` when a loss was last logged. */
  #loggedLoss: ChainPlace | undefined;
  /** Appends whose outcome is unknown. */
  #unconfirmed: AppendBatch[] = [];
  /** Intents whose outcome has not been written, by id. They are written again if the store loses entries. */
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

  /**
   * Reads the end of the chain at startup, so that a loss of entries is detected even if it happens before the first
   * action.
   */
  async load(): Promise<void> {
    // Errors are ignored, because the first action reads the end again and reports the error.
    if (this.#known === undefined && this.#running === undefined)
      await this.#fetchEnd().catch(() => undefined);
  }

  /**
   * Appends an intent. Resolves when the intent has been written.
   *
   * @throws LockkeeperError `unavailable` if the intent was not written. In that case, the action must not be performed
   */
  begin(intent: NewIntent): Promise<void> {
    const entry: NewAuditEntry = { kind: "intent", at: Date.now(), ...intent };
    return new Promise((resolve, reject) => {
      const settle = (error?: UnavailableError) => (error === undefined ? resolve() : reject(error));
      this.#add({ entry, until: performance.now() + this.writeTimeoutMs, settle, state: "waiting" });
    });
  }

  /** Appends the outcome of an action. Retries until the outcome has been written or this process stops. */
  end(id: string, outcome: AuditOutcome): void {
    this.add({ kind: "outcome", at: Date.now(), id, outcome });
  }

  add(entry: NewAuditEntry): void {
    this.#add({ entry, until: Number.POSITIVE_INFINITY, settle: () => undefined, state: "waiting" });
  }

  /** Writes the pending entries, and stops after `STOP_MS` even if some have not been written. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#start();
    await Promise.race([this.#running, sleep(STOP_MS, undefined, { ref: false })]);
    this.#stopped.abort();
  }

  #add(pending: PendingEntry): void {
    this.#queue.push(pending);
    if (this.#stopped.signal.aborted)
      this.#refusePending(() => true, new Error("Lockkeeper is shutting down"));
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
    // While the timer runs, only intents are written immediately. An append of only outcomes would delay intents that
    // arrive meanwhile.
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
    if (this.#stopped.signal.aborted)
      this.#refusePending(() => true, new Error("Lockkeeper is shutting down"));
    // Must run in the same turn of the event loop as the last check of the queue, so that a later entry starts a new
    // run.
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
      // If Redis replies with an error, the append was not executed, because the script fails before its first write.
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

  /**
   * Continues the chain at the end that the store has returned. Detects which unconfirmed appends were executed, and
   * whether the store has lost entries.
   */
  #adoptEnd(
    { end, hashes }: Extract<AuditAppendResult, { outcome: "behind" }>,
    compare: readonly number[],
  ): void {
    const getHash = (number: number) => hashes[compare.indexOf(number)] ?? "";
    const found = this.#unconfirmed.filter(({ last }) => getHash(last.number) === last.hash);
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
        `the audit log ends at ${end.head.number}, a number that Lockkeeper never writes`,
      );
    if (known !== undefined && !isStillPresent(known, end, getHash(known.number)))
      this.#handleLoss([{ kind: "entries_lost", at: Date.now(), known }]);
    this.#head = end.head;
    this.#known = end.head;
  }

  /**
   * Handles a loss of entries in the store. Queues `entries`, which record the loss, and requeues all intents without
   * an outcome.
   */
  #handleLoss(entries: readonly NewAuditEntry[]): void {
    // Each loss is logged only once. If the store is empty and refuses writes, every attempt detects the same loss.
    if (this.#loggedLoss !== this.#known)
      this.log?.error({ known: this.#known }, "The home store has lost entries of the audit log");
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
      "Could not write the audit log. Operator actions are refused until it is writable",
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

/**
 * Returns whether a known entry is still in the chain or was removed by retention. `found` is the hash at the entry's
 * number in the chain.
 */
function isStillPresent({ number, hash }: ChainPlace, { anchor }: ChainEnd, found: string): boolean {
  if (number < anchor.number || number === 0) return true;
  return number === anchor.number ? hash === anchor.hash : found === hash;
}

function createNotRecordedError(cause: unknown): UnavailableError {
  const reason = findRefusal(cause);
  if (reason !== undefined) {
    return createRefusedError(reason, "The home store refused the audit entry. Nothing was done.", { cause });
  }
  const errorCode = isReplyError(cause) ? readErrorCode(cause) : undefined;
  const why = errorCode === undefined ? "" : ` (${errorCode})`;
  return new UnavailableError(
    `Could not write the audit entry to the home store${why}. Nothing was done. Retry later.`,
    { cause },
  );
}
