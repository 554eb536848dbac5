import type { Hold } from "../../watch/hold.ts";
import type { Watcher } from "../../watch/watcher.ts";

/** The JSON of holds, made once for each look at them, for however many tabs and moments. */
export class RowTexts {
  readonly #texts = new WeakMap<Hold, string>();

  constructor(private readonly watcher: Watcher) {}

  of(hold: Hold): string {
    const known = this.#texts.get(hold);
    if (known !== undefined) return known;
    const lock = this.watcher.lockOf(hold);
    const text = JSON.stringify(lock);
    // With whom it shares its token changes without it; that it may share one at all, does not.
    if (!this.watcher.mirror.mayShare(hold)) this.#texts.set(hold, text);
    return text;
  }
}
