import { Redis } from "ioredis";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { readErrorCode, UnexpectedReplyError } from "../redis/failure.ts";
import type { Script } from "../redis/script.ts";

/** Maximum number of verbs in one script call. 32 fast-path verbs block Redis for about 0.3 ms. */
export const BATCH_VERBS_MAX = 32;
/** Minimum number of verbs per call, if as many are pending: smaller calls cost more than they save by overlapping. */
const BATCH_VERBS_MIN = 8;
/** Maximum number of active verbs that are sent separately. With more, the cost of their calls exceeds the gain. */
const SEPARATE_VERBS_MAX = 8;

type Arguments = RedisArgument[];
type BatchScript = Script<Arguments, Arguments, readonly unknown[]>;

/** A verb that can share a script call with other verbs. */
export interface BatchableVerb<Reply> {
  readonly name: "acquire" | "release";
  /** The script that runs the verb outside a batch. */
  readonly script: Script<Arguments, Arguments, Reply>;
  readonly keys: Arguments;
  readonly arguments: Arguments;
}

interface PendingVerb {
  readonly verb: BatchableVerb<unknown>;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

const preferring = new WeakSet<Redis>();

/**
 * Makes a connection batch the verbs of each turn of the event loop, even if only a few verbs are active. This saves
 * CPU time in a server that runs verbs for many clients. By default, a connection with few active verbs sends them
 * separately. This can double the throughput, because Redis runs one verb while this process handles the reply to
 * another.
 */
export function preferBatches(connection: Redis): void {
  preferring.add(connection);
}

/**
 * Combines the verbs that one connection issues in one turn of the event loop into a few script calls, because a call
 * costs Redis and Node more than a verb within it. While only a few verbs are active, each verb is sent immediately in
 * its own call. On a connection that prefers batches, a verb is sent in this way only if no other verb is active and
 * the last batch contained at most one verb.
 */
export class VerbBatches {
  readonly #connections = new WeakMap<Redis, ConnectionBatches>();

  constructor(private readonly script: BatchScript) {}

  /** Runs the verb, in a batch or separately. Returns `undefined` if the connection does not support batches. */
  run<Reply>(redis: Commands, verb: BatchableVerb<Reply>): Promise<Reply> | undefined {
    // On a cluster, all verbs of a batch would need the same slot. With safety options, each command is checked
    // separately for the server that receives it.
    if (!(redis instanceof Redis)) return undefined;
    let batches = this.#connections.get(redis);
    if (batches === undefined) {
      batches = new ConnectionBatches(redis, this.script, preferring.has(redis));
      this.#connections.set(redis, batches);
    }
    return batches.run(verb);
  }
}

/** The pending and running batches of one connection. */
class ConnectionBatches {
  #pending: PendingVerb[] = [];
  #isFlushScheduled = false;
  /** Number of verbs that were sent and have no reply. */
  #inFlight = 0;
  /** Number of verbs in the last turn of the event loop that issued any verbs. */
  #lastTurnVerbs = 0;

  constructor(
    private readonly redis: Commands,
    private readonly script: BatchScript,
    private readonly prefersBatches: boolean,
  ) {}

  run<Reply>(verb: BatchableVerb<Reply>): Promise<Reply> {
    if (this.#isSentSeparately()) return this.#runNow(verb);
    return new Promise<Reply>((resolve, reject) => {
      this.#pending.push({ verb, resolve: resolve as (reply: unknown) => void, reject });
      if (this.#isFlushScheduled) return;
      this.#isFlushScheduled = true;
      setImmediate(this.#flush);
    });
  }

  #isSentSeparately(): boolean {
    if (this.#isFlushScheduled) return false;
    if (!this.prefersBatches) return this.#inFlight < SEPARATE_VERBS_MAX;
    // Callers whose replies arrive in the same turn often issue their next verbs in the same turn.
    return this.#inFlight === 0 && this.#lastTurnVerbs <= 1;
  }

  #runNow<Reply>(verb: BatchableVerb<Reply>): Promise<Reply> {
    const reply = verb.script.run(this.redis, verb.keys, verb.arguments);
    this.#track(reply, 1);
    return reply;
  }

  #track(reply: Promise<unknown>, verbs: number): void {
    this.#inFlight += verbs;
    const settle = this.#recordReply.bind(this, verbs);
    reply.then(settle, settle);
  }

  #recordReply(verbs: number): void {
    this.#inFlight -= verbs;
  }

  readonly #flush = () => {
    const pending = this.#pending;
    this.#pending = [];
    this.#isFlushScheduled = false;
    this.#lastTurnVerbs = pending.length;
    const size = computeBatchSize(pending.length + this.#inFlight);
    for (let at = 0; at < pending.length; at += size) this.#send(pending.slice(at, at + size));
  };

  #send(batch: readonly PendingVerb[]): void {
    const [only] = batch;
    if (only !== undefined && batch.length === 1) {
      this.#runNow(only.verb).then(only.resolve, only.reject);
      return;
    }
    const keys: Arguments = [];
    const parameters: Arguments = [];
    for (const { verb } of batch) {
      keys.push(...verb.keys);
      parameters.push(verb.name, ...verb.arguments);
    }
    const replies = this.script.run(this.redis, keys, parameters);
    this.#track(replies, batch.length);
    replies.then(
      (given) => this.#deliver(batch, given),
      (error: unknown) => this.#fail(batch, error),
    );
  }

  #fail(batch: readonly PendingVerb[], error: unknown): void {
    // Redis checks the permissions for all keys before it runs a call. A single key that the Redis user may not access
    // therefore fails the whole call.
    const isRefusedForKeys = readErrorCode(error) === "NOPERM";
    for (const { verb, resolve, reject } of batch) {
      if (isRefusedForKeys) this.#runNow(verb).then(resolve, reject);
      else reject(error);
    }
  }

  #deliver(batch: readonly PendingVerb[], replies: readonly unknown[]): void {
    // Prevents an endless loop: without any reply, the same verbs would be sent again.
    if (replies.length === 0 || replies.length > batch.length) {
      const error = new UnexpectedReplyError(
        `batch.lua returned ${replies.length} of ${batch.length} replies`,
      );
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [index, reply] of replies.entries())
      if (batch[index] !== undefined) settle(batch[index], reply);
    if (replies.length < batch.length) this.#send(batch.slice(replies.length));
  }
}

/**
 * Returns the maximum number of verbs in a script call: half of those that are pending or in flight. Redis then runs
 * one half while this process handles the replies of the other half. With a single call in flight, each waits for the
 * other.
 */
function computeBatchSize(activeVerbs: number): number {
  return Math.min(BATCH_VERBS_MAX, Math.max(BATCH_VERBS_MIN, Math.ceil(activeVerbs / 2)));
}

function settle({ verb, resolve, reject }: PendingVerb, reply: unknown): void {
  try {
    if (reply instanceof Error) throw reply;
    resolve(verb.script.decode(reply));
  } catch (error) {
    reject(error);
  }
}
