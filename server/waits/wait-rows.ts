import type { Holder } from "../../lib/contract/lock.ts";
import { WAIT_ROWS_MAX, type WaitingClient } from "../../lib/contract/waits/waits.ts";
import { formatKey, type Key, toKeyFields } from "../../lib/keys/key.ts";
import type { Wait } from "./wait-graph.ts";
import type { WaitersBehind, WaitState } from "./waiters-behind.ts";

/** Lists waiting clients as trees in depth-first order. All lists in a report share one limit on the number of rows. */
export class WaitRows {
  readonly #rowsLeft = { count: WAIT_ROWS_MAX };

  constructor(
    private readonly state: WaitState,
    private readonly behind: WaitersBehind,
  ) {}

  /**
   * Lists the clients that wait behind the given locks.
   *
   * @param except waits to omit, because they are listed elsewhere
   */
  list(keys: readonly Key[], except: ReadonlySet<Wait> = new Set()): WaitingClient[] {
    const rows: WaitingClient[] = [];
    const seen = new Set<Key>();
    const stack = keys.map((key) => ({ key, depth: 1 })).reverse();
    const queue: { wait: Wait; depth: number }[] = [];
    const open = ({ key, depth }: { key: Key; depth: number }) => {
      if (seen.has(key)) return;
      seen.add(key);
      const waits = [...this.state.graph.getWaits(key)].filter((wait) => !except.has(wait));
      // Waits are taken from the end of the list, so the longest wait is last.
      waits.sort((one, other) => (other.sinceMs ?? 0) - (one.sinceMs ?? 0));
      for (const wait of waits) queue.push({ wait, depth });
    };
    for (let lock = stack.pop(); lock !== undefined; lock = stack.pop()) {
      open(lock);
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
        if (this.#rowsLeft.count === 0) return rows;
        this.#rowsLeft.count--;
        const { wait, depth } = item;
        const holds = this.behind.listBlockedHolds(wait);
        rows.push(this.#toRow(wait, depth, holds));
        for (const key of holds.reverse()) open({ key, depth: depth + 1 });
      }
    }
    return rows;
  }

  #toRow(wait: Wait, depth: number, holds: readonly Key[]): WaitingClient {
    return {
      depth,
      ...toOwnerFields(wait.owner),
      by: wait.by,
      ...toKeyFields(wait.key),
      since: Math.round(wait.sinceMs ?? this.state.now),
      sinceIs: wait.by === "library" ? "at_least" : "exact",
      until: wait.untilMs === null ? null : Math.round(wait.untilMs),
      holds: holds.map((key) => ({ ...toKeyFields(key), waiting: this.behind.countWaiting(key) })),
    };
  }
}

/** Returns the JSON fields of an owner, as `toKeyFields` does for a key. */
export function toOwnerFields(owner: Key): Pick<Holder, "owner" | "ownerBase64"> {
  const { key, keyBase64 } = toKeyFields(owner);
  return keyBase64 === undefined ? { owner: formatKey(key) } : { owner: key, ownerBase64: keyBase64 };
}
