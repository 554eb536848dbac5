import type { FormatName } from "../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../lib/contract/format-facts.ts";
import type { Key } from "../../lib/contract/key.ts";
import type { HeldObservation } from "../formats/observation.ts";
import { isNamedByOwner } from "./identity.ts";

const FORCED_MAX = 1000;

/** The last holds of other libraries that were freed by force, so that one that is made again is known. */
export class Forced {
  /** And whether an operator said by the format that its owner string never comes back. */
  readonly #freed = new Map<string, boolean>();

  add(key: Key, owner: Key, as?: FormatName): void {
    const name = nameOf(key, owner);
    const isNamed =
      this.#freed.get(name) === true || (as !== undefined && FORMAT_FACTS[as].owner === "unique");
    this.#freed.delete(name);
    this.#freed.set(name, isNamed);
    const [oldest] = this.#freed.keys();
    if (this.#freed.size > FORCED_MAX && oldest !== undefined) this.#freed.delete(oldest);
  }

  /** Whether the very hold of this owner was freed. Of an owner who may come back that cannot be told. */
  has(seen: HeldObservation, owner: Key): boolean {
    const isNamed = this.#freed.get(nameOf(seen.key, owner));
    return isNamed !== undefined && (isNamed || isNamedByOwner(seen));
  }
}

const nameOf = (key: Key, owner: Key) => `${key.length} ${key}${owner}`;
