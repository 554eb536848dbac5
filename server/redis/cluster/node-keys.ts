import type { ClusterMap, NodeName } from "./cluster-map.ts";
import { computeSlot } from "./slot.ts";

/**
 * Finds one key per master of a cluster, in a slot of that master. All processes try the same key names in the same
 * order.
 */
export class NodeKeys {
  readonly #numbers = new Map<NodeName, number>();

  /** @param prefix the part of the key before the hash tag */
  constructor(
    private readonly map: ClusterMap,
    private readonly prefix: string,
  ) {}

  /** Returns a key in a slot of `node` according to the map. Returns `undefined` if the node has no slots. */
  findKey(node: NodeName): string | undefined {
    const first = this.#numbers.get(node) ?? 0;
    if (this.#isAt(node, first)) return this.#format(first);
    if (!this.map.masters.has(node)) return undefined;
    for (let number = first + 1; ; number++) {
      if (!this.#isAt(node, number)) continue;
      this.#numbers.set(node, number);
      return this.#format(number);
    }
  }

  /**
   * Makes `findKey` return a different key. Call this method if the slot of the last returned key is migrating or has
   * moved.
   */
  skipKey(node: NodeName): void {
    this.#numbers.set(node, (this.#numbers.get(node) ?? 0) + 1);
    this.map.refreshSoon();
  }

  #isAt(node: NodeName, number: number): boolean {
    return this.map.findMaster(computeSlot(String(number))) === node;
  }

  #format(number: number): string {
    return `${this.prefix}:{${number}}`;
  }
}
