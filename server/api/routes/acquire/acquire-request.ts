import { type AcquireInput, LEASE_MS_DEFAULT } from "../../../../lib/contract/actions/verb.ts";
import type { Principal } from "../../../auth/principal.ts";
import type { AcquireOptions } from "../../../locks/verbs/contract/verbs.ts";
import type { PendingRequest } from "../../routing/pending-requests.ts";

export const REPLAYED_HEADER = {
  "Idempotent-Replayed": {
    description: "`true` if the response was already returned for the same Idempotency-Key.",
    example: "true",
  },
};

/** Converts the body of an acquire request to options. `owner` defaults to the name of the API key or operator. */
export function toAcquireOptions(
  input: Omit<
    AcquireInput,
    "kind" | "permits" | "limit" | "yieldsToWriters" | "holding" | "onDeadlock" | "reenter"
  > &
    Partial<Pick<AcquireInput, "kind" | "permits" | "limit" | "yieldsToWriters">>,
  principal: Principal,
  requestId: string | undefined,
): AcquireOptions {
  // Copied field by field, because spreading objects of different shapes takes longer than the rest of the function.
  return {
    leaseMs: input.leaseMs ?? LEASE_MS_DEFAULT,
    record: input.record,
    renewEveryMs: input.renewEveryMs,
    receivesReleaseRequests: input.receivesReleaseRequests,
    format: input.format,
    kind: input.kind,
    permits: input.permits,
    limit: input.limit,
    yieldsToWriters: input.yieldsToWriters,
    unit: input.unit,
    graceMs: input.graceMs,
    minHoldMs: input.minHoldMs,
    requestId,
    owner: input.owner ?? getDefaultOwner(principal),
    principal: principal.id,
  };
}

/** Returns the name of the API key, without its `key:` prefix, or of the operator. */
function getDefaultOwner({ name }: Principal): string {
  return name.replace(/^key:/, "");
}

/** A waiting request. `waitedMs` is how long, in ms, the request had been waiting when its last attempt was sent. */
export class Wait {
  readonly #since = performance.now();
  waitedMs = 0;
  readonly onSend = this.#recordWait.bind(this);

  constructor(readonly request: PendingRequest) {}

  #recordWait(): void {
    // Rounded down, so that a client that computes its deadline from `waitedMs` never assumes too long a lease.
    this.waitedMs = Math.floor(performance.now() - this.#since);
  }
}
