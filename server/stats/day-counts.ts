const HOUR_MS = 60 * 60 * 1000;
const HOURS = 24;

/** Hourly counts of the last 24 hours, including the current hour, for a fixed set of names. Uses 96 bytes per name. */
export class DayCounts<Name extends string> {
  readonly #counts: Uint32Array;
  #hour: number;

  constructor(
    private readonly names: readonly Name[],
    at: number,
  ) {
    this.#counts = new Uint32Array(names.length * HOURS);
    this.#hour = toHour(at);
  }

  add(name: Name, at: number, by = 1): void {
    this.#advance(at);
    const hour = toHour(at);
    if (hour <= this.#hour - HOURS) return;
    const place = this.#findSlot(name, hour);
    this.#counts[place] = (this.#counts[place] ?? 0) + by;
  }

  sum(name: Name, at: number): number {
    this.#advance(at);
    const first = this.names.indexOf(name) * HOURS;
    let sum = 0;
    for (let place = first; place < first + HOURS; place++) sum += this.#counts[place] ?? 0;
    return sum;
  }

  #advance(at: number): void {
    const hour = toHour(at);
    if (hour <= this.#hour) return;
    const passed = Math.min(HOURS, hour - this.#hour);
    for (let back = 0; back < passed; back++) {
      for (const name of this.names) this.#counts[this.#findSlot(name, hour - back)] = 0;
    }
    this.#hour = hour;
  }

  #findSlot(name: Name, hour: number): number {
    return this.names.indexOf(name) * HOURS + (hour % HOURS);
  }
}

function toHour(at: number): number {
  return Math.floor(at / HOUR_MS);
}
