import { UnavailableError } from "../errors/redis-errors.ts";
import { NotFoundError } from "../errors/request-errors.ts";
import type { Target } from "./target.ts";
import type { TargetConnector } from "./target-connector.ts";

/** All targets, in the order of the configuration; the first is the one that is meant when none is named. */
export class Targets {
  readonly #byName: ReadonlyMap<string, TargetConnector>;

  constructor(readonly connectors: readonly [TargetConnector, ...TargetConnector[]]) {
    this.#byName = new Map(connectors.map((connector) => [connector.name, connector]));
  }

  /** @throws LockkeeperError not_found; unavailable while the target has not been reached */
  getTarget(name: string | undefined): Target {
    const { target, settings, reason } = this.getConnector(name);
    if (target !== undefined) return target;
    throw new UnavailableError(
      `The target ${settings.name} has not been reached yet, so nothing was done; it is tried again. ${reason}`,
    );
  }

  /** @throws LockkeeperError not_found */
  getConnector(name: string | undefined): TargetConnector {
    if (name === undefined) return this.connectors[0];
    const connector = this.#byName.get(name);
    if (connector !== undefined) return connector;
    const names = [...this.#byName.keys()].map((each) => JSON.stringify(each)).join(", ");
    throw new NotFoundError(
      `There is no target ${JSON.stringify(name.slice(0, 100))}; name one of ${names}, or none for the first.`,
    );
  }

  /** Those that have been reached. */
  get openTargets(): Target[] {
    return this.connectors.flatMap(({ target }) => target ?? []);
  }

  /** Names of the others. */
  get unopenedNames(): string[] {
    return this.connectors.filter(({ target }) => target === undefined).map(({ name }) => name);
  }

  /** Called for each that is open, and for each that opens. */
  onOpen(listener: (target: Target) => void): void {
    for (const connector of this.connectors) {
      if (connector.target !== undefined) listener(connector.target);
      else connector.onOpen(listener);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.connectors.map((connector) => connector.stop()));
  }
}
