import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WriteRefusal } from "../../../lib/contract/refusal.ts";
import { TARGET_PREFIX } from "../../formats/keys.ts";
import { findRefusal, isWriteRefusal, readErrorCode } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";

const CANARY = `${TARGET_PREFIX}canary`;
/** One of ours that ends leaves it behind for this long. */
const TTL_MS = 60_000;
/** Messages come before the answer to a later ping, except through some proxies. */
const LATE_MESSAGE_MS = 200;
/** More of what somebody else may have put in its place is not read. */
const VALUE_CHARACTERS_MAX = 32;
/** What one beat is told by; all classes of events that can be had without waiting. */
const EXPECTED_EVENTS = ["set", "del", "hset", "sadd", "zadd"] as const;
const EVENT_BYTES = {
  ...{ set: Buffer.from("set"), del: Buffer.from("del"), hset: Buffer.from("hset") },
  ...{ sadd: Buffer.from("sadd"), zadd: Buffer.from("zadd") },
};

/**
 * What became of one beat. `wasThere`: the canary was still what the beat before had left. `missing`: what was not heard
 * of it. `refused`: it could not be written: not now, never by this user, not by a replica, or its slot is elsewhere.
 */
export type CanaryBeat =
  | { readonly outcome: "written"; readonly wasThere: boolean; readonly missing: readonly string[] }
  | {
      readonly outcome: "refused";
      readonly because: "forbidden" | "replica" | "elsewhere";
      readonly message: string;
    }
  /** Redis takes no writes of anyone at present. */
  | { readonly outcome: "refused"; readonly because: "not_now"; readonly reason: WriteRefusal };

/**
 * A key of ours that changes and must come back as messages. Of one that is gone or is another nothing is said key by
 * key: FLUSHALL, SWAPDB and a full copy from elsewhere do that. Each process has its own, so that another one's beat is
 * not taken for that.
 */
export class Canary {
  readonly #id = randomBytes(6).toString("base64url");
  readonly #received = new Set<string>();
  /** What it may be now: two values when it is not known whether the last beat was carried out. Empty: anything. */
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
      // Any client can publish on the channel: only what is expected is kept.
      const event = EXPECTED_EVENTS.find((name) => message.equals(EVENT_BYTES[name]));
      if (event !== undefined) this.#received.add(event);
    });
  }

  /** To be called on each connection. @throws ReplyError when this user may not listen to it */
  async subscribe(): Promise<void> {
    await this.master.subscriber.subscribe(this.#channel);
  }

  /** Whether it is still there; one that was never written is. `forbidden`: this user may not look. */
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
   * Changes it. All that Redis sent us before has been heard when this resolves.
   *
   * @param listens false: nobody listens to it, so nothing of it can be missing
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
    const wasThere = known.size === 0 || known.has(found);
    this.#values = new Set([value]);
    if (!listens) return { outcome: "written", wasThere, missing: [] };
    // One that does not answer will not have said anything either.
    await this.master.subscriber.ping().catch(() => undefined);
    if (this.#missing.length > 0) await sleep(LATE_MESSAGE_MS);
    return { outcome: "written", wasThere, missing: this.#missing };
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

  /** Its slot is another master's by now. */
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

/** What GETRANGE returns of the canary; null: it is not there. */
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

/** Why Redis did not do it; undefined when that is not what it answered. */
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
