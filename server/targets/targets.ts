import { UnavailableError } from "../errors/redis-errors.ts";
import { NotFoundError } from "../errors/request-errors.ts";
import type { Target } from "./target.ts";
import type { TargetConnector } from "./target-connector.ts";

/** All targets, in the same order as in the configuration. The first target is the default. */
export class Targets {
  readonly #byName: ReadonlyMap<string, TargetConnector>;

  constructor(readonly connectors: readonly [TargetConnector, ...TargetConnector[]]) {
    this.#byName = new Map(connectors.map((connector) => [connector.name, connector]));
  }

  /**
   * Returns a target by name, or the default target if `name` is `undefined`.
   *
   * @throws LockkeeperError `not_found`, or `unavailable` if the target has not been reached since startup
   */
  getTarget(name: string | undefined): Target {
    const { target, settings, reason } = this.getConnector(name);
    if (target !== undefined) return target;
    throw new UnavailableError(
      `The target ${settings.name} has not been reached since startup. Nothing was done; Lockkeeper keeps retrying. ${reason}`,
    );
  }

  /**
   * Returns the connector of a target by name, or the connector of the default target if `name` is `undefined`.
   *
   * @throws LockkeeperError not_found
   */
  getConnector(name: string | undefined): TargetConnector {
    if (name === undefined) return this.connectors[0];
    const connector = this.#byName.get(name);
    if (connector !== undefined) return connector;
    const names = [...this.#byName.keys()].map((each) => JSON.stringify(each)).join(", ");
    throw new NotFoundError(
      `There is no target ${JSON.stringify(name.slice(0, 100))}. Use one of ${names}, or omit \`target\` for the first one.`,
    );
  }

  /** The targets that have been reached since startup. */
  get openTargets(): Target[] {
    return this.connectors.flatMap(({ target }) => target ?? []);
  }

  /** The names of the targets that have not been reached since startup. */
  get unopenedNames(): string[] {
    return this.connectors.filter(({ target }) => target === undefined).map(({ name }) => name);
  }

  /** Calls the listener immediately for each open target, and for each other target when it opens. */
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
