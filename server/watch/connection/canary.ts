import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WriteRefusal } from "../../../lib/contract/refusal.ts";
import { TARGET_PREFIX } from "../../formats/keys.ts";
import { findRefusal, isWriteRefusal, readErrorCode } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";

const CANARY = `${TARGET_PREFIX}canary`;
/** Time in ms after which the canary of an exited instance expires. */
const TTL_MS = 60_000;
/**
 * Time in ms to wait for messages after the reply to PING. Redis sends messages before the reply, but some proxies
 * deliver them after it.
 */
const LATE_MESSAGE_MS = 200;
/** Offset of the last byte to read, because another client may have written a long value to the key. */
const VALUE_CHARACTERS_MAX = 32;
/** Events that one beat triggers: one for each event class that a write triggers immediately. */
const EXPECTED_EVENTS = ["set", "del", "hset", "sadd", "zadd"] as const;
const EVENT_BYTES = {
  ...{ set: Buffer.from("set"), del: Buffer.from("del"), hset: Buffer.from("hset") },
  ...{ sadd: Buffer.from("sadd"), zadd: Buffer.from("zadd") },
};

/**
 * The result of one beat, which changes the canary and checks that notifications arrive.
 *
 * - `wasIntact`: whether the canary still had the value from the previous beat. True if there was no previous beat.
 * - `missing`: events that did not arrive.
 * - `refused`: Redis did not write the canary, because it temporarily refuses writes, the user has no permission, the
 *   server is a replica, or another master has the slot.
 */
export type CanaryBeat =
  | { readonly outcome: "written"; readonly wasIntact: boolean; readonly missing: readonly string[] }
  | {
      readonly outcome: "refused";
      readonly because: "forbidden" | "replica" | "elsewhere";
      readonly message: string;
    }
  /** Redis currently refuses all writes. */
  | { readonly outcome: "refused"; readonly because: "not_now"; readonly reason: WriteRefusal };

/**
 * A key that Lockkeeper changes regularly to test whether notifications arrive. A missing key or an unexpected value
 * shows that Redis removed keys without sending a notification for each: by FLUSHALL, SWAPDB or a full
 * resynchronization. Each process has its own canary, so that changes by other processes are not mistaken for such a
 * removal.
 */
export class Canary {
  readonly #id = randomBytes(6).toString("base64url");
  readonly #received = new Set<string>();
  /**
   * Possible current values: more than one if the outcome of the last beat is unknown. An empty set means that any
   * value is possible.
   */
  #values = new Set<string | null>();
  #key = "";
  #running: Promise<CanaryBeat> | undefined;
  #next: Promise<CanaryBeat> | undefined;

  constructor(
    private readonly master: Master,
    private readonly db: number,
  ) {
    this.#resetKey();
    master.subscriber.on("messageBuffer", (channel: Buffer, message: Buffer) => {
      if (channel.toString() !== this.#channel) return;
      // Any client can publish on the channel, so unexpected events are ignored.
      const event = EXPECTED_EVENTS.find((name) => message.equals(EVENT_BYTES[name]));
      if (event !== undefined) this.#received.add(event);
    });
  }

  /**
   * Subscribes to the notifications for the canary. Must be called on each new connection.
   *
   * @throws ReplyError if the Redis user is not allowed to subscribe
   */
  async subscribe(): Promise<void> {
    await this.master.subscriber.subscribe(this.#channel);
  }

  /**
   * Returns whether the canary is unchanged. Returns `true` before the first beat and if another master now has the
   * slot, and `forbidden` if the Redis user is not allowed to read the canary.
   */
  async isPresent(): Promise<boolean | "forbidden"> {
    try {
      return this.#isKnown(parseValue(await this.master.redis.getrange(this.#key, 0, VALUE_CHARACTERS_MAX)));
    } catch (error) {
      const because = classifyRefusal(error)?.because;
      if (because === "forbidden") return because;
      if (because !== "elsewhere") throw error;
      await this.#moveToOwnSlot();
      return true;
    }
  }

  /**
   * Changes the canary and checks which events arrive. If `listens` is true, a `written` result without missing events
   * proves that all messages that Redis sent before the change have arrived.
   *
   * @param listens whether the subscriber is subscribed; if false, no event counts as missing
   */
  beat(listens: boolean): Promise<CanaryBeat> {
    this.#next ??= (async () => {
      await this.#running?.catch(() => undefined);
      this.#next = undefined;
      this.#running = this.#beatNow(listens);
      return await this.#running;
    })();
    return this.#next;
  }

  async #beatNow(listens: boolean): Promise<CanaryBeat> {
    this.#received.clear();
    const value = randomBytes(9).toString("base64url");
    const known = this.#values;
    if (known.size > 0) this.#values = new Set([...known, value]);
    let found: string | null;
    try {
      found = await this.#write(value);
    } catch (error) {
      const refusal = classifyRefusal(error);
      if (refusal === undefined) throw error;
      this.#values = known;
      if (refusal.because === "elsewhere") await this.#moveToOwnSlot();
      return { outcome: "refused", ...refusal };
    }
    const wasIntact = known.size === 0 || known.has(found);
    this.#values = new Set([value]);
    if (!listens) return { outcome: "written", wasIntact, missing: [] };
    // If the subscriber does not respond, it has not delivered the events either, so they count as missing.
    await this.master.subscriber.ping().catch(() => undefined);
    if (this.#missing.length > 0) await sleep(LATE_MESSAGE_MS);
    return { outcome: "written", wasIntact, missing: this.#missing };
  }

  async #write(value: string): Promise<string | null> {
    const key = this.#key;
    const replies = await this.master.redis
      .multi()
      .getrange(key, 0, VALUE_CHARACTERS_MAX)
      .del(key)
      .hset(key, "a", 1)
      .del(key)
      .sadd(key, "a")
      .del(key)
      .zadd(key, 1, "a")
      .set(key, value, "PX", TTL_MS)
      .exec();
    const failed = replies?.find(([error]) => error !== null);
    if (failed?.[0]) throw failed[0];
    return parseValue(replies?.[0]?.[1]);
  }

  #isKnown(found: string | null): boolean {
    return this.#values.size === 0 || this.#values.has(found);
  }

  get #missing(): string[] {
    return EXPECTED_EVENTS.filter((event) => !this.#received.has(event));
  }

  get #channel(): string {
    return `__keyspace@${this.db}__:${this.#key}`;
  }

  /** Chooses a canary key in a slot of this master, after the slot of the previous key has moved to another master. */
  async #moveToOwnSlot(): Promise<void> {
    this.master.reportDemotion();
    await this.master.subscriber.unsubscribe(this.#channel);
    this.#resetKey();
    await this.subscribe();
  }

  #resetKey(): void {
    const tag = this.master.findHashTag();
    this.#key = tag === undefined ? `${CANARY}:${this.#id}` : `${CANARY}:{${tag}}:${this.#id}`;
    this.#values = new Set();
  }
}

/** Parses the reply to GETRANGE. Returns `null` if the canary does not exist. */
function parseValue(found: unknown): string | null {
  return typeof found === "string" && found !== "" ? found : null;
}

const REFUSALS = [
  ["replica", "READONLY"],
  ["elsewhere", "MOVED"],
  ["elsewhere", "ASK"],
  ["elsewhere", "TRYAGAIN"],
  ["forbidden", "NOPERM"],
] as const;

/** Returns why Redis refused a command, or `undefined` for other errors. */
function classifyRefusal(error: unknown) {
  if (!(error instanceof Error)) return undefined;
  const queued = "previousErrors" in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  const errors: unknown[] = [...queued, error];
  for (const [because, code] of REFUSALS) {
    const found = errors.find((each) => readErrorCode(each) === code);
    if (found instanceof Error) return { because, message: found.message } as const;
  }
  const reason = findRefusal(error);
  return isWriteRefusal(reason) ? ({ because: "not_now", reason } as const) : undefined;
}
