import { type Key, keyOfPath } from "../../../lib/keys/key.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { Frame } from "./live-snapshot.ts";
import type { Window } from "./window-diff.ts";

/** The rows that a tab keeps on the screen while the order goes on without them. */
export class KeptRows {
  readonly #keys: readonly Key[];
  /** How each was told last, by the window or here. */
  readonly #told = new Map<Key, string>();

  constructor(paths: readonly string[] = [], watcher: Pick<Watcher, "isWatched">) {
    this.#keys = paths
      .map(keyOfPath)
      .flatMap((parsed) => (parsed.ok ? [parsed.key] : []))
      .filter((key) => watcher.isWatched(key));
  }

  /** @returns JSON of items of a `kept` message; of those only that the window has not told as they are */
  news(frame: Frame, window: Window | undefined): string[] {
    if (this.#keys.length === 0) return [];
    const shown = new Set(window?.rows);
    return this.#keys.flatMap((key) => {
      const { state, hold } = frame.keptStateOf(key);
      if (this.#told.get(key) === state) return [];
      this.#told.set(key, state);
      return shown.has(state) ? [] : [frame.keptText(key, hold)];
    });
  }
}
