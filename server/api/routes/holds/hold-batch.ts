import type { Logger } from "pino";
import type { ErrorCode } from "../../../../lib/contract/error.ts";
import type { Principal } from "../../../auth/principal.ts";
import { InvalidHoldIdError } from "../../../errors/lock-errors.ts";
import { LockkeeperError } from "../../../errors/lockkeeper-error.ts";
import { parseHoldId, type TargetHoldRef } from "../../../formats/hold-id.ts";
import { toVerbCall, type Verb } from "../../../stats/verb-call.ts";
import { assertWritable } from "../../../targets/assert-writable.ts";
import type { Target } from "../../../targets/target.ts";
import type { ApiRequest } from "../../http/http-exchange.ts";
import { assertAuthorized } from "../../routing/authorization.ts";
import type { Services } from "../../routing/services.ts";

/**
 * Number of holds in a batch that count as one request towards the rate limits. The cost of a hold is about a tenth of
 * the cost of a request.
 */
const HOLDS_PER_COUNTED_REQUEST = 10;

/**
 * Runs the verb for the holds on one target. Resolves to the result or error for each hold, in the order of `holds`.
 */
type RunOnTarget<Item, Result> = (
  target: Target,
  holds: readonly NamedHold<Item>[],
) => Promise<readonly PromiseSettledResult<Result>[]>;

/** An entry of a batch, and the hold that its `holdId` identifies. The caller is authorized to use this hold. */
export interface NamedHold<Item> {
  readonly item: Item;
  readonly hold: TargetHoldRef;
}

interface BatchCall<Item> {
  readonly holds: readonly Item[];
  readonly principal: Principal;
  readonly request: ApiRequest;
}

export type BatchServices = Pick<Services, "targets" | "quotas" | "limits" | "verbs">;

/** Runs one verb for many holds. If the verb fails for one hold, the other holds are not affected. */
export class HoldBatch {
  constructor(
    private readonly services: BatchServices,
    private readonly log: Logger,
    private readonly verb: Extract<Verb, "renew" | "release">,
  ) {}

  /**
   * Runs the verb and returns the result or error for each hold, in the same order as `holds`.
   *
   * @throws LockkeeperError rate_limited
   */
  async run<Item extends { readonly holdId: string }, Result>(
    call: BatchCall<Item>,
    runOnTarget: RunOnTarget<Item, Result>,
    getOutcome: (result: Result) => string,
  ): Promise<PromiseSettledResult<Result>[]> {
    const { holds, principal } = call;
    const counted = Math.ceil(holds.length / HOLDS_PER_COUNTED_REQUEST);
    this.services.limits.consumeMoreForCaller(principal.id, counted - 1);
    const results = new Map<Item, PromiseSettledResult<Result>>();
    const byTarget = new Map<Target, NamedHold<Item>[]>();
    for (const item of holds) {
      try {
        const { target, hold } = this.#authorize(item.holdId, principal);
        const named = byTarget.get(target);
        if (named === undefined) byTarget.set(target, [{ item, hold }]);
        else named.push({ item, hold });
      } catch (reason) {
        results.set(item, { status: "rejected", reason });
      }
    }
    await Promise.all(
      [...byTarget].map(async ([target, named]) => {
        const running = named.map(({ hold }) =>
          this.services.verbs.startVerb(
            toVerbCall(this.verb, target.name, hold.key, hold),
            target.stats,
            call.request,
          ),
        );
        const settled = await runOnTarget(target, named);
        for (const [at, { item }] of named.entries()) {
          const result = settled[at] ?? MISSING;
          results.set(item, result);
          running[at]?.end({
            outcome: result.status === "fulfilled" ? getOutcome(result.value) : getCode(result.reason),
          });
        }
      }),
    );
    this.#logDefects([...results.values()]);
    return holds.map((item) => results.get(item) ?? MISSING);
  }

  /**
   * Parses a `holdId` and asserts that the principal is authorized to use the hold.
   *
   * @throws LockkeeperError invalid_hold_id, forbidden, not_found, unavailable, read_only
   */
  #authorize(holdId: string, principal: Principal): { target: Target; hold: TargetHoldRef } {
    const hold = parseHoldId(holdId);
    if (hold === undefined) throw new InvalidHoldIdError("This is not a holdId returned by acquire.");
    assertAuthorized(principal, { access: "lock", scope: "target" }, hold.target, hold.key);
    const target = this.services.targets.getTarget(hold.target);
    assertWritable(target);
    return { target, hold };
  }

  /**
   * Logs the first unexpected error in a batch and the number of unexpected errors. Logging every error in a large
   * batch would flood the log.
   */
  #logDefects(results: readonly PromiseSettledResult<unknown>[]): void {
    const defects = results.flatMap((result) =>
      result.status === "rejected" && !(result.reason instanceof LockkeeperError) ? [result.reason] : [],
    );
    if (defects.length === 0) return;
    this.log.error({ err: defects[0], holds: defects.length, verb: this.verb }, "holds of a batch failed");
  }
}

const MISSING = { status: "rejected", reason: new Error("A hold of a batch has no result") } as const;

/** Returns the error code for the reason of a rejected result. Unexpected errors and `aborted` become `internal`. */
export function getCode(reason: unknown): ErrorCode {
  return reason instanceof LockkeeperError && reason.code !== "aborted" ? reason.code : "internal";
}

/** Returns the latest `asOf` among the results in Unix ms, or the current time of this server if no verb succeeded. */
export function getLatestTime(results: readonly PromiseSettledResult<{ readonly asOf: number }>[]): number {
  let latest = 0;
  for (const result of results)
    if (result.status === "fulfilled") latest = Math.max(latest, result.value.asOf);
  return latest === 0 ? Date.now() : latest;
}
