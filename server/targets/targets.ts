import { NotFoundError } from "../locks/errors.ts";
import type { Target } from "./target.ts";

/** All targets, in the order of the configuration; the first is the one that is meant when none is named. */
export class Targets {
  readonly #byName: ReadonlyMap<string, Target>;

  constructor(readonly all: readonly [Target, ...Target[]]) {
    this.#byName = new Map(all.map((target) => [target.name, target]));
  }

  /** @throws LockkeeperError not_found */
  of(name: string | undefined): Target {
    if (name === undefined) return this.all[0];
    const target = this.#byName.get(name);
    if (target !== undefined) return target;
    const names = [...this.#byName.keys()].map((each) => JSON.stringify(each)).join(", ");
    throw new NotFoundError(
      `There is no target ${JSON.stringify(name.slice(0, 100))}; name one of ${names}, or none for the first.`,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((target) => target.close()));
  }
}
