import type { ApiTransport } from "./api-transport.ts";

/** How a client reaches its target. */
export interface Connection {
  readonly transport: ApiTransport;
  /** Name of the target; `undefined` for the first target of the server. */
  readonly target: string | undefined;
}

/**
 * The connection of each `LockkeeperClient`. Used by the parts of the package that applications import separately, such
 * as latches, whose code is not part of the main bundle.
 */
export const connections = new WeakMap<object, Connection>();
