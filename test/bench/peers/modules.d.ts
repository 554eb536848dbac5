/**
 * Declares the subset of the peers' types that is used, so that type checks do not require the peers to be installed.
 */

declare module "redlock" {
  // biome-ignore lint/style/noDefaultExport: as redlock has it
  export default class Redlock {
    constructor(clients: Iterable<object>, settings?: { retryCount?: number });
    acquire(resources: string[], duration: number): Promise<{ release(): Promise<unknown> }>;
    on(event: "error", listener: (error: Error) => void): this;
  }
}

declare module "redis-semaphore" {
  export class Mutex {
    constructor(
      client: object,
      key: string,
      options?: {
        lockTimeout?: number;
        refreshInterval?: number;
        acquireTimeout?: number;
      },
    );
    acquire(): Promise<void>;
    release(): Promise<void>;
  }
}
