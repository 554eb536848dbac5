import type { AuditLog } from "./audit-log.ts";

const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 20;
const NAMES_MAX = 20;
const REFUSAL_KINDS_MAX = 50;

/** A request that was refused before an action started. */
export interface Refusal {
  readonly action: string;
  readonly code: string;
  readonly address: string | undefined;
  /** The operator name in a refused login. `undefined` for other requests and for login links. */
  readonly name: string | undefined;
}

interface RefusalWindow {
  readonly action: string;
  /**
   * Number of refusals that are not in an entry yet. `since` and `last` are the times of the first and last of these
   * refusals, in Unix ms.
   */
  count: number;
  since: number;
  last: number;
  readonly addresses: Map<string, number>;
  readonly names: Map<string, number>;
}

/**
 * Counts refusals, so that password guessing does not fill the audit log. The first refusal of an action with a given
 * code is recorded immediately. Further refusals are counted in a single entry, which is written after at most a
 * minute, or earlier if an action with the same name begins or this process stops.
 */
export class RefusalCounter {
  readonly #windows = new Map<string, RefusalWindow>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Pick<AuditLog, "add">) {}

  countRefusal(refusal: Refusal): void {
    const { action, code, address = "unknown", name } = refusal;
    const now = Date.now();
    const id = `${action} ${code}`;
    const known = this.#windows.get(id);
    if (known === undefined && this.#windows.size >= REFUSAL_KINDS_MAX) return;
    const window = known ?? createWindow(action);
    if (window.count === 0) window.since = now;
    window.count += 1;
    window.last = now;
    countLimited(window.addresses, address, ADDRESSES_MAX);
    if (name !== undefined) countLimited(window.names, name, NAMES_MAX);
    if (known !== undefined) return;
    this.#write(code, window);
    this.#windows.set(id, window);
    this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
  }

  /** Writes entries for the refusals that are not recorded yet. @param action if set, limits them to this action */
  flush(action?: string): void {
    for (const [id, window] of this.#windows) {
      if (action !== undefined && window.action !== action) continue;
      if (window.count > 0) this.#write(id.slice(window.action.length + 1), window);
      this.#windows.delete(id);
    }
    if (this.#windows.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Writes an entry with the counts of a window, and resets the counts. The time of the entry is the time of the last
   * refusal.
   */
  #write(code: string, window: RefusalWindow): void {
    const { action, count, since, last, addresses, names } = window;
    this.log.add({
      ...{ kind: "refusals", at: last, action, code, count, since },
      addresses: Object.fromEntries(addresses),
      ...(names.size === 0 ? {} : { names: Object.fromEntries(names) }),
    });
    window.count = 0;
    addresses.clear();
    names.clear();
  }
}

function createWindow(action: string): RefusalWindow {
  return { action, count: 0, since: 0, last: 0, addresses: new Map(), names: new Map() };
}

/**
 * Increments the count of a name. If there are already `most` names, increments the count of `others` for each new
 * name.
 */
function countLimited(counts: Map<string, number>, name: string, most: number): void {
  const place = counts.has(name) || counts.size < most ? name : "others";
  counts.set(place, (counts.get(place) ?? 0) + 1);
}
