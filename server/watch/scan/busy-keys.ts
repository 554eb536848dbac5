import type { Key } from "../../../lib/keys/key.ts";

/** A key is read so often at most within so long: what a busy lock does is looked at some tens of times a second. */
const OFTEN = { times: 5, withinMs: 100 };

/** Holds back keys that were read too often lately; each is given again when it may be read: others do not wait. */
export class BusyKeys {
  /** How often each was read lately, and since when. The oldest first. */
  readonly #lately = new Map<Key, { since: number; times: number }>();
  readonly #heldBack = new Set<Key>();
  readonly #again: (key: Key) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(again: (key: Key) => void) {
    this.#again = again;
  }

  get heldBack(): Iterable<Key> {
    return this.#heldBack;
  }

  /** @param now performance.now() */
  wasRead(key: Key, now: number): void {
    const known = this.#lately.get(key);
    if (known !== undefined && now - known.since < OFTEN.withinMs) known.times++;
    else {
      this.#lately.delete(key);
      this.#lately.set(key, { since: now, times: 1 });
    }
    for (const [oldest, { since }] of this.#lately) {
      if (now - since < OFTEN.withinMs) return;
      this.#lately.delete(oldest);
    }
  }

  holdsBack(key: Key): boolean {
    const known = this.#lately.get(key);
    if (known === undefined || known.times < OFTEN.times) return false;
    if (performance.now() - known.since >= OFTEN.withinMs) return false;
    this.#heldBack.add(key);
    this.#timer ??= setTimeout(() => this.#giveAgain(), OFTEN.withinMs / 4).unref();
    return true;
  }

  /** Those that are held back are not given again. */
  forget(): void {
    this.#heldBack.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #giveAgain(): void {
    this.#timer = undefined;
    const keys = [...this.#heldBack];
    this.#heldBack.clear();
    for (const key of keys) this.#again(key);
  }
}
