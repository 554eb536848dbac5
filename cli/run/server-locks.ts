import { z } from "zod";
import { ApiTransport } from "../../lib/client/api-transport.ts";
import { HeldError, InvalidError, WaitTimeoutError } from "../../lib/client/errors.ts";
import { LockkeeperClient } from "../../lib/client/lockkeeper-client.ts";
import { LIVENESS_STATES, type LivenessState } from "../../lib/contract/liveness.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import type { ServerConnection } from "../connection/choose-connection.ts";
import { explainProblem } from "../connection/explain-problem.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { toPrintable } from "../output/printable.ts";
import {
  acquireLocks,
  type HeldLock,
  LockHeldError,
  type LockHolder,
  type LockRequest,
  type LockSource,
  type Permits,
} from "./held-lock.ts";
import { explainLockError } from "./lock-errors.ts";
import { readCode, waitForLock } from "./wait-for-lock.ts";

const INSPECT_MS = 2000;
const Refused = z.object({
  cause: z.object({
    problem: z.object({ permits: z.object({ available: z.number(), total: z.number().nullable() }) }),
  }),
});
const Inspected = z.object({ liveness: z.object({ state: z.enum(LIVENESS_STATES) }) });

/** A lock source that acquires locks through a Lockkeeper server. */
export class ServerLocks implements LockSource {
  readonly #client: LockkeeperClient;
  readonly #transport: ApiTransport;

  /** @throws CliError if the API key is missing or malformed */
  constructor(private readonly connection: ServerConnection) {
    const { url, apiKey, target } = connection;
    if (apiKey === undefined) throw explainProblem({ code: "unauthenticated", detail: "" }, connection);
    try {
      this.#client = new LockkeeperClient({ url, apiKey, target });
      this.#transport = new ApiTransport({ urls: [url], apiKey });
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      throw new CliError(toPrintable(error.message), EXIT_CODES.failure);
    }
  }

  async acquire(request: LockRequest): Promise<HeldLock> {
    try {
      return await this.#acquire(request);
    } catch (error) {
      if (readCode(error) === "unauthenticated" && error instanceof Error)
        throw explainProblem({ code: "unauthenticated", detail: error.message }, this.connection);
      if (!(error instanceof HeldError || error instanceof WaitTimeoutError)) throw explainLockError(error);
      const { key = "" } = error.facts;
      throw new LockHeldError(key, await this.#describeHolder(key, error));
    }
  }

  /**
   * Acquires the locks. If the server refuses the declared holds, for example because they belong to another target,
   * acquires the locks without declaring holds.
   */
  async #acquire({ keys, holding, ...request }: LockRequest): Promise<HeldLock> {
    const acquire = (declared: readonly string[] | undefined) =>
      waitForLock(request, (waitMs) =>
        acquireLocks(this.#client, keys, { ...request, holding: declared, waitMs }),
      );
    if (holding.length === 0) return await acquire(undefined);
    try {
      return await acquire(holding);
    } catch (error) {
      // Servers of version 0.2 do not know the field and refuse it as `invalid`.
      if (!["invalid_hold_id", "invalid"].includes(readCode(error))) throw error;
      return await acquire(undefined);
    }
  }

  /** Does nothing, because pending requests end with the process. */
  close(): void {}

  async #describeHolder(
    key: string,
    error: HeldError | WaitTimeoutError,
  ): Promise<LockHolder | Permits | undefined> {
    const refused = Refused.safeParse(error);
    if (refused.success) return refused.data.cause.problem.permits;
    const { holders, remainingMs } = error.facts;
    const [holder] = holders;
    if (holder === undefined) return undefined;
    const liveness = await this.#readLiveness(key);
    return { owner: holder.owner, remainingMs, ...(liveness === undefined ? {} : { liveness }) };
  }

  /**
   * Returns the liveness of the holder, or `undefined` if the request fails, for example because the API key lacks read
   * access.
   */
  async #readLiveness(key: string): Promise<LivenessState | undefined> {
    const { target } = this.connection;
    const query = target === undefined ? "" : `?${new URLSearchParams({ target })}`;
    const path = `/locks/${encodeKeyPath(key)}${query}`;
    try {
      const response = await this.#transport.request({
        method: "GET",
        path,
        retryForMs: 0,
        timeoutMs: INSPECT_MS,
      });
      return Inspected.parse(response.value).liveness.state;
    } catch {
      return undefined;
    }
  }
}
