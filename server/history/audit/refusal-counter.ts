import type { AuditLog } from "./audit-log.ts";

const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 20;
const REFUSAL_KINDS_MAX = 50;

interface RefusalCount {
  readonly action: string;
  readonly code: string;
  readonly since: number;
  count: number;
  readonly addresses: Map<string, number>;
}

/**
 * What is refused before anything is begun, counted: whoever guesses passwords must not be able to fill the audit. One
 * entry a minute for each action and reason, however many there were.
 */
export class RefusalCounter {
  readonly #counts = new Map<string, RefusalCount>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Pick<AuditLog, "add">) {}

  countRefusal(action: string, code: string, address = "unknown"): void {
    const name = `${action} ${code}`;
    let found = this.#counts.get(name);
    if (found === undefined) {
      if (this.#counts.size >= REFUSAL_KINDS_MAX) return;
      found = { action, code, since: Date.now(), count: 0, addresses: new Map() };
      this.#counts.set(name, found);
    }
    found.count += 1;
    const { addresses } = found;
    const place = addresses.has(address) || addresses.size < ADDRESSES_MAX ? address : "others";
    addresses.set(place, (addresses.get(place) ?? 0) + 1);
    this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
  }

  /** Writes what was counted. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { addresses, ...counted } of this.#counts.values()) {
      this.log.add({
        kind: "refusals",
        at: Date.now(),
        ...counted,
        addresses: Object.fromEntries(addresses),
      });
    }
    this.#counts.clear();
  }
}
