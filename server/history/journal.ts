import { randomBytes } from "node:crypto";
import type { LockEvent } from "../../lib/contract/event.ts";
import { ENDINGS, LIVE_ONLY } from "../../lib/contract/event.ts";
import { type Key, keyOfFields } from "../../lib/contract/key.ts";

export type Unnumbered = Omit<LockEvent, "id">;

/** What a reader who left off at an id gets: what came after, or word that this cannot be told. */
export type Replay =
  | { kind: "events"; events: LockEvent[] }
  | { kind: "gap"; events: LockEvent[] }
  | { kind: "reset" };

/**
 * The last events, in order, in memory. Renewals and waits are passed on but not kept.
 */
export class Journal {
  readonly #boot = randomBytes(4).toString("hex");
  readonly #capacity: number;
  readonly #listeners = new Set<(event: LockEvent) => void>();
  #events: LockEvent[] = [];
  #dropped = 0;
  #live = 0;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  append(event: Unnumbered): void {
    const isKept = !LIVE_ONLY.has(event.type);
    const numbered: LockEvent = !isKept
      ? { id: `${this.#boot}-live-${++this.#live}`, ...event }
      : { id: `${this.#boot}-${this.#dropped + this.#events.length + 1}`, ...event };
    if (isKept) this.#keep(numbered);
    for (const listener of this.#listeners) listener(numbered);
  }

  subscribe(listener: (event: LockEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get oldest(): string | null {
    return this.#events[0]?.id ?? null;
  }

  get newest(): string | null {
    return this.#events.at(-1)?.id ?? null;
  }

  recent(count: number): LockEvent[] {
    return this.#events.slice(-count);
  }

  /** Whether an event is kept, and so may be named as the last one seen. */
  isKept(event: LockEvent): boolean {
    return !LIVE_ONLY.has(event.type);
  }

  after(id: string): Replay {
    const [boot, number] = id.split("-");
    const seen = Number(number);
    if (boot !== this.#boot || !Number.isInteger(seen) || seen > this.#dropped + this.#events.length)
      return { kind: "reset" };
    if (seen < this.#dropped) return { kind: "gap", events: [...this.#events] };
    return { kind: "events", events: this.#events.slice(seen - this.#dropped) };
  }

  /** Newest first. */
  ofKey(key: Key, limit: number): { items: LockEvent[]; complete: boolean } {
    const items: LockEvent[] = [];
    for (let at = this.#events.length - 1; at >= 0; at--) {
      const event = this.#events[at];
      if (event === undefined || keyOfFields(event) !== key) continue;
      if (items.length === limit) return { items, complete: false };
      items.push(event);
    }
    return { items, complete: this.#dropped === 0 };
  }

  lastEnding(key: Key): LockEvent | undefined {
    return this.#events.findLast(
      (event) => ENDINGS.has(event.type) && (event.count ?? 0) === 0 && keyOfFields(event) === key,
    );
  }

  // Cutting a tenth at a time keeps appending cheap: removing from the front of an array moves all of it.
  #keep(event: LockEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.#capacity * 1.1) return;
    const surplus = this.#events.length - this.#capacity;
    this.#events = this.#events.slice(surplus);
    this.#dropped += surplus;
  }
}
