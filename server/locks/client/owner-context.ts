import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/**
 * Who asks, by asynchronous context: Node's counterpart of a thread. Everything that is awaited inside
 * `withLock` is one owner and may re-enter, branches that run side by side (`Promise.all`) included: they share the
 * hold as two calls on one thread would, and do not exclude each other.
 *
 * An owner reads `<uuid>:<number>` as Redisson's do, so that other tools know it for what it is.
 */
export class OwnerContext {
  readonly #client = randomUUID();
  readonly #storage = new AsyncLocalStorage<string>();
  #contexts = 0;

  /** The owner of this context; undefined outside of any. */
  get current(): string | undefined {
    return this.#storage.getStore();
  }

  /** An owner of its own. */
  createOwner(): string {
    return `${this.#client}:${++this.#contexts}`;
  }

  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    return this.#storage.run(owner, work);
  }
}
