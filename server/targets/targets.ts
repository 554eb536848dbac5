import { UnavailableError } from "../errors/redis-errors.ts";
import { NotFoundError } from "../errors/request-errors.ts";
import type { Target } from "./target.ts";
import type { TargetKeeper } from "./target-connector.ts";

/** All targets, in the order of the configuration; the first is the one that is meant when none is named. */
export class Targets {
  readonly #byName: ReadonlyMap<string, TargetKeeper>;

  constructor(readonly keepers: readonly [TargetKeeper, ...TargetKeeper[]]) {
    this.#byName = new Map(keepers.map((keeper) => [keeper.name, keeper]));
  }

  /** @throws LockkeeperError not_found; unavailable while the target has not been reached */
  of(name: string | undefined): Target {
    const { target, settings, reason } = this.keeperOf(name);
    if (target !== undefined) return target;
    throw new UnavailableError(
      `The target ${settings.name} has not been reached yet, so nothing was done; it is tried again. ${reason}`,
    );
  }

  /** @throws LockkeeperError not_found */
  keeperOf(name: string | undefined): TargetKeeper {
    if (name === undefined) return this.keepers[0];
    const keeper = this.#byName.get(name);
    if (keeper !== undefined) return keeper;
    const names = [...this.#byName.keys()].map((each) => JSON.stringify(each)).join(", ");
    throw new NotFoundError(
      `There is no target ${JSON.stringify(name.slice(0, 100))}; name one of ${names}, or none for the first.`,
    );
  }

  /** Those that have been reached. */
  get open(): Target[] {
    return this.keepers.flatMap(({ target }) => target ?? []);
  }

  /** Names of the others. */
  get unopened(): string[] {
    return this.keepers.filter(({ target }) => target === undefined).map(({ name }) => name);
  }

  /** Called for each that is open, and for each that opens. */
  onOpen(listener: (target: Target) => void): void {
    for (const keeper of this.keepers) {
      if (keeper.target !== undefined) listener(keeper.target);
      else keeper.onOpen(listener);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.keepers.map((keeper) => keeper.stop()));
  }
}
