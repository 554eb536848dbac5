import { type Key, parseKeyPath } from "../../../lib/keys/key.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { LiveSnapshot } from "./live-snapshot.ts";
import type { RowWindow } from "./window-diff.ts";

/** The rows that a tab keeps on screen even if their locks are released or are no longer in the window. */
export class PinnedRows {
  readonly #keys: readonly Key[];
  /** For each row, the state that was last sent, either in the window or as a pinned row. */
  readonly #sentStates = new Map<Key, string>();

  constructor(paths: readonly string[] = [], watcher: Pick<Watcher, "isWatched">) {
    this.#keys = paths
      .map(parseKeyPath)
      .flatMap((parsed) => (parsed.ok ? [parsed.key] : []))
      .filter((key) => watcher.isWatched(key));
  }

  /**
   * Returns the pinned rows that have changed since they were last sent, as JSON items of a `kept` message. Omits rows
   * that the window already shows in their current state.
   */
  collectChanges(frame: LiveSnapshot, window: RowWindow | undefined): string[] {
    if (this.#keys.length === 0) return [];
    const shown = new Set(window?.rows);
    return this.#keys.flatMap((key) => {
      const { state, hold } = frame.getPinnedState(key);
      if (this.#sentStates.get(key) === state) return [];
      this.#sentStates.set(key, state);
      return shown.has(state) ? [] : [frame.formatPinnedItem(key, hold)];
    });
  }
}
