import { type Key, parseKeyPath } from "../../../lib/keys/key.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { LiveSnapshot } from "./live-snapshot.ts";
import type { RowWindow } from "./window-diff.ts";

/** The rows that a tab keeps on screen while the order of the list changes. */
export class PinnedRows {
  readonly #keys: readonly Key[];
  /** The last state of each row that was sent, in the window or as a pinned row. */
  readonly #sentStates = new Map<Key, string>();

  constructor(paths: readonly string[] = [], watcher: Pick<Watcher, "isWatched">) {
    this.#keys = paths
      .map(parseKeyPath)
      .flatMap((parsed) => (parsed.ok ? [parsed.key] : []))
      .filter((key) => watcher.isWatched(key));
  }

  /**
   * Returns the pinned rows that changed since they were last sent, as the items of a `kept` message in JSON. Rows
   * whose state is in the window are omitted.
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
