import type { Grant, Released, Verified, VerifyInput } from "../../../lib/contract/actions/verb.ts";
import type { SpokenFormat } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { FreeAsk } from "../../formats/lock-format.ts";
import type { AcquireRequest } from "../../formats/lock-writer.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { ExtendReply } from "../../formats/script-replies.ts";
import { BUDGET_MS } from "../verbs/attempt.ts";
import { assertDurations } from "../verbs/durations.ts";
import { assertMappable, assertOwner, grantOf } from "../verbs/error-factories.ts";
import { Lockable } from "../verbs/lockable-keys.ts";
import { Requests } from "../verbs/request-factory.ts";
import { reservedOwner } from "../verbs/reserved-owner.ts";
import type {
  AcquiredGrant,
  AcquireOptions,
  ExtendAsk,
  ForceReply,
  OperatorVerbs,
  ReleaseOptions,
  RenewOptions,
  ReserveOptions,
} from "../verbs/verbs.ts";
import { type Sight, type Taken, Waits } from "../verbs/wait-coordinator.ts";
import { WaitingRoom } from "../verbs/waiter-queues.ts";
import { extendEverywhere } from "./extend-on-masters.ts";
import { freeEverywhere } from "./force-release-on-masters.ts";
import { OpenVotesOfHolds } from "./pending-votes.ts";
import { Candidate, type Elected } from "./quorum-attempt.ts";
import type { Master } from "./quorum-master.ts";
import { Releases } from "./quorum-releases.ts";
import { QuorumSubscriber } from "./quorum-subscriber.ts";
import { renew } from "./renew-on-masters.ts";
import { elect, reasonOf } from "./retry-attempt.ts";
import { PATIENCE_MS } from "./time-limits.ts";
import { verify } from "./verify-on-masters.ts";

const FORMAT = "token";

/**
 * The verbs on locks that a majority of independent masters has to agree on (Redlock). What is said of a verb holds
 * as for one Redis, except that a lock can be lost with the majority and no other way.
 */
export class QuorumLocks implements OperatorVerbs {
  readonly #lockable: Lockable;
  readonly #waits: Waits;
  readonly #requests = new Requests();
  readonly #releases: Releases;
  readonly #openVotes = new OpenVotesOfHolds();

  constructor(
    private readonly masters: readonly Master[],
    lockable: readonly string[],
  ) {
    this.#lockable = new Lockable(lockable);
    this.#waits = new Waits(new WaitingRoom(new QuorumSubscriber(masters.map(({ wake }) => wake))));
    this.#releases = new Releases(masters);
  }

  /**
   * @throws LockkeeperError held (without waiting), timeout, aborted, queue_full, lost, not_a_lock, key_not_allowed,
   *   invalid, request_id_reused, unavailable; unknown_outcome for requests with an id of the caller's alone
   */
  async acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    this.#assert(key, options);
    assertOwner(options.owner);
    assertDurations(options);
    return await this.#acquire(key, options);
  }

  async #acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    const { waitMs = 0, onSend, requestId } = options;
    const request = this.#requests.acquire({ ...options, format: FORMAT });
    const candidate = new Candidate(this.masters, key, request, namedBy(requestId));
    if (waitMs > 0) return await this.#acquireWaiting(key, request, candidate, options);
    const outcome = await elect(candidate, {
      waitMs: undefined,
      patienceMs: PATIENCE_MS,
      outlastsMs: 0,
      onSend,
    });
    if (outcome.outcome === "elected") return this.#granted(candidate, key, request, outcome);
    throw reasonOf(key, request, candidate, outcome);
  }

  async #acquireWaiting(
    key: Key,
    request: AcquireRequest,
    candidate: Candidate,
    options: AcquireOptions,
  ): Promise<AcquiredGrant> {
    const { waitMs = 0, signal, requestId, onSend } = options;
    const look = async (patienceMs: number): Promise<Sight<AcquiredGrant & Taken>> => {
      const deadline = performance.now() + patienceMs;
      const leftMs = () => Math.max(1, Math.round(deadline - performance.now()));
      const outlastsMs = Math.min(patienceMs, BUDGET_MS);
      const outcome = await elect(candidate, { waitMs: leftMs, patienceMs, outlastsMs, signal, onSend });
      if (outcome.outcome === "elected") {
        const granted = this.#granted(candidate, key, request, outcome);
        return { done: { ...granted, giveUp: () => candidate.named === "by_us" && granted.abandon() } };
      }
      const refusal = reasonOf(key, request, candidate, outcome);
      if (!(refusal instanceof HeldError)) throw refusal;
      return { heldMs: refusal.facts.remainingMs, asOf: refusal.facts.asOf, refusal: () => refusal };
    };
    // Another owner or principal that uses the same id waits for itself.
    const named = requestId && `${requestId}\n${request.principal ?? ""}\n${request.owner}`;
    try {
      return await this.#waits.run(key, { waitMs, signal, requestId: named }, look, () => undefined);
    } finally {
      candidate.end();
    }
  }

  /** @throws LockkeeperError lost, not_owner, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable */
  async renew(key: Key, options: RenewOptions): Promise<Grant> {
    this.#assert(key, options);
    assertOwner(options.owner);
    assertDurations({ leaseMs: options.leaseMs });
    return await renew(this.masters, key, this.#requests.renew({ ...options, format: FORMAT }));
  }

  /**
   * @throws LockkeeperError not_owner, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable,
   *   unknown_outcome
   */
  async release(key: Key, options: ReleaseOptions): Promise<Released> {
    this.#assert(key, options);
    assertOwner(options.owner);
    assertDurations({ holdOffMs: options.holdOffMs });
    const request = this.#requests.release({ ...options, format: FORMAT });
    const released = await this.#releases.release(key, request, namedBy(options.requestId));
    // The release finds no vote that is still to come.
    if (released.count === 0) this.#openVotes.takeBack(key, request);
    return released;
  }

  /** @throws LockkeeperError as `acquire` without waiting */
  async reserve(key: Key, { by, holdOffMs, reason, ...options }: ReserveOptions): Promise<Grant> {
    this.#assert(key, options);
    assertDurations({ holdOffMs });
    const owner = reservedOwner(by);
    const record = reason ? { purpose: reason } : undefined;
    const ask = { ...options, owner, record, leaseMs: holdOffMs, reentrant: false };
    return (await this.#acquire(key, ask)).grant;
  }

  /** @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, unavailable */
  async verify(key: Key, wanted: VerifyInput): Promise<Verified> {
    this.#assert(key, wanted);
    assertOwner(wanted.owner);
    return await verify(this.masters, key, wanted);
  }

  /** @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome */
  async forceRelease(seen: HeldObservation, ask: FreeAsk): Promise<ForceReply> {
    assertMappable(seen.key);
    return await freeEverywhere(this.masters, seen, ask);
  }

  /** @throws LockkeeperError key_not_allowed, unavailable */
  async extend(seen: HeldObservation, ask: ExtendAsk): Promise<ExtendReply> {
    assertMappable(seen.key);
    return await extendEverywhere(this.masters, seen, ask);
  }

  #granted(candidate: Candidate, key: Key, request: AcquireRequest, elected: Elected): AcquiredGrant {
    const { owner, leaseMs } = request;
    this.#openVotes.add(key, request, candidate.openVotes);
    const grant = grantOf(key, owner, leaseMs, { ...elected, outcome: "granted" });
    return { grant, abandon: () => candidate.withdraw() };
  }

  #assert(key: Key, { format = FORMAT }: { readonly format?: SpokenFormat | undefined }): void {
    this.#lockable.assert(key);
    if (format === FORMAT) return;
    throw new InvalidError(
      `A quorum takes locks of the format ${FORMAT} alone, and ${format} was asked for.`,
      {
        field: "format",
      },
    );
  }
}

function namedBy(requestId: string | undefined): "by_caller" | "by_us" {
  return requestId === undefined ? "by_us" : "by_caller";
}
