import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { getCurrentMoment } from "../../../lib/client/moment.ts";
import type { ReleaseRequest } from "../../../lib/contract/holds/release-request.ts";
import { LostError } from "../../errors/lock-errors.ts";
import { NotReplicatedError, UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { Backend } from "../verbs/backend.ts";
import type { Grant, Released } from "../verbs/contract/grant.ts";
import type { RenewOptions } from "../verbs/contract/verbs.ts";
import { type AwaitOptions, awaitCondition } from "./condition.ts";
import { Hold, type HoldCommands, type HoldReleaseRequest, type ReenterOptions } from "./hold.ts";
import { createHoldLostError, HoldLease, type TimedGrant } from "./hold-lease.ts";
import { Watchdog } from "./watchdog.ts";

const ABANDON_RETRY_MS = 200;

export interface WatchOptions {
  /** Whether the watchdog renews the lease. */
  readonly renew: boolean;
  readonly onJeopardy: ((hold: Hold) => void) | undefined;
}

/** Manages the holds of one client: renews them, re-enters them, releases their counts, and reports their loss. */
export class HoldLeases implements HoldCommands {
  readonly #byToken = new Map<string, HoldLease>();
  readonly #watchdog: Watchdog;

  constructor(
    private readonly backend: Pick<Backend, "verbs" | "renewMany" | "onForceRelease">,
    private readonly target: string,
  ) {
    this.#watchdog = new Watchdog((leases, tryMs) => backend.renewMany(leases, tryMs));
    backend.onForceRelease({
      onRelease: (token, fence) => this.#onForceRelease(token, fence),
      onReleaseRequested: (token, fence, request) => {
        const lease = this.#byToken.get(token);
        if (lease?.fence === fence) lease.releaseRequests.receive(request);
      },
      onGap: () => this.#watchdog.renewAll(),
    });
  }

  /**
   * Adds a newly granted hold, and starts to renew it if `renew` is true.
   *
   * @returns the first `Hold` object of the hold
   */
  open(granted: TimedGrant, { renew, onJeopardy }: WatchOptions): Hold {
    const [{ token, count }] = granted;
    const lease: HoldLease = new HoldLease(granted, this.target, {
      onJeopardy: () => onJeopardy?.(hold),
      onEnd: () => {
        this.#byToken.delete(lease.token);
        this.#watchdog.forget(lease);
      },
    });
    lease.releaseRequests.connect({
      declare: () => this.#declareReleaseRequests(lease),
      answer: async (requestId, answer, text) => {
        await this.backend.verbs.answerReleaseRequest(lease.toRef(), { requestId, answer, text });
      },
      shouldRetry: (error) => isOutage(error) && isHeld(lease),
    });
    const hold = new Hold(lease, count, this);
    this.#byToken.set(token, lease);
    if (renew) this.#watchdog.watch(lease);
    return hold;
  }

  async renew(lease: HoldLease, leaseMs = lease.leaseMs): Promise<void> {
    try {
      await this.#prolong(lease, (onSend) => this.backend.verbs.renew(lease.toRef(), { leaseMs, onSend }));
    } catch (error) {
      if (isOutage(error)) lease.markInJeopardy();
      throw error;
    }
  }

  async #declareReleaseRequests(lease: HoldLease): Promise<ReleaseRequest | undefined> {
    const options = { leaseMs: lease.leaseMs, receivesReleaseRequests: true };
    const grant = await this.#prolong(lease, (onSend) =>
      this.backend.verbs.renew(lease.toRef(), { ...options, onSend }),
    );
    return grant.releaseRequested;
  }

  async reenter(lease: HoldLease, { leaseMs }: ReenterOptions): Promise<Hold> {
    const request = { leaseMs, requestId: randomUUID() };
    lease.openCounts++;
    try {
      const { count } = await this.#prolong(lease, (onSend) =>
        this.backend.verbs.reenter(lease.toRef(), { ...request, onSend }),
      );
      if (lease.state !== "lost") return new Hold(lease, count, this);
      throw new UnknownOutcomeError("The re-entry was granted after the hold was lost.");
    } catch (error) {
      const mayBeCounted = error instanceof UnknownOutcomeError || error instanceof NotReplicatedError;
      if (mayBeCounted) void this.#abandonReentry(lease, request, performance.now() + lease.leaseMs);
      await this.leave(lease);
      throw lease.loss ?? error;
    }
  }

  async leave(lease: HoldLease): Promise<void> {
    lease.openCounts--;
    lease.cancelWait();
    if (lease.openCounts > 0) return;
    lease.close();
    await this.#watchdog.finishRenewal(lease);
  }

  async release(lease: HoldLease, request: HoldReleaseRequest): Promise<Released> {
    const released = await this.backend.verbs.release(lease.toRef(), request);
    if (released.outcome === "not_held") {
      lease.markLost(createHoldLostError(lease, "its lease ended or it was released elsewhere"));
    } else if (released.outcome === "released" && lease.openCounts > 0) {
      lease.markLost(createHoldLostError(lease, "its last count was released elsewhere"));
    }
    return released;
  }

  /**
   * Downgrades a hold. The watchdog pauses during the call, because a renewal that Redis executes after the downgrade
   * would report the writer's hold as lost. After an unknown outcome, the kind to renew is unknown, so the hold ends at
   * its deadline unless a repeated downgrade succeeds.
   */
  async downgrade(lease: HoldLease): Promise<void> {
    const before = lease.uncertainDowngrade;
    const isWatched = before?.isWatched ?? this.#watchdog.isWatching(lease);
    await this.#pauseRenewal(lease);
    lease.uncertainDowngrade = { isWatched };
    try {
      await this.#prolong(lease, async (onSend) => {
        const grant = await this.backend.verbs.downgrade(lease.toRef(), onSend);
        this.#byToken.delete(lease.token);
        lease.applyDowngrade(grant);
        if (isHeld(lease)) this.#byToken.set(lease.token, lease);
        return grant;
      });
    } catch (error) {
      const isUnknown = error instanceof UnknownOutcomeError || error instanceof NotReplicatedError;
      if (!isUnknown) lease.uncertainDowngrade = before;
      if (!isUnknown && isWatched && before === undefined && isHeld(lease)) this.#watchdog.watch(lease);
      throw error;
    }
    lease.uncertainDowngrade = undefined;
    if (isWatched && isHeld(lease)) this.#watchdog.watch(lease);
  }

  /**
   * Waits for a signal on a condition, and does not renew the hold during the wait. If the wait fails, the hold is lost
   * unless the error shows that the hold was not given up.
   */
  async awaitCondition(lease: HoldLease, condition: string, options: AwaitOptions): Promise<boolean> {
    const isWatched = this.#watchdog.isWatching(lease);
    await this.#pauseRenewal(lease);
    if (!isHeld(lease)) throw lease.loss ?? createHoldLostError(lease, "it was released");
    try {
      return await awaitCondition(this.backend.verbs.conditions, lease, condition, options, (token) => {
        this.#byToken.delete(lease.token);
        this.#byToken.set(token, lease);
      });
    } finally {
      if (isWatched && isHeld(lease)) this.#watchdog.watch(lease);
    }
  }

  async signalCondition(lease: HoldLease, condition: string, who: "one" | "all"): Promise<number> {
    try {
      return (await this.backend.verbs.conditions.signal(lease.toRef(), condition, { who })).count;
    } catch (error) {
      throw this.#applyLoss(lease, error);
    }
  }

  /** Marks all holds as lost and stops renewing them. In Redis, the holds end when their leases expire. */
  close(): void {
    this.#watchdog.stop();
    for (const lease of [...this.#byToken.values()]) {
      lease.markLost(createHoldLostError(lease, "its client was closed"));
    }
  }

  /** Sends a renewal, re-entry or downgrade. The new deadline counts from the last attempt. */
  async #prolong(lease: HoldLease, send: (onSend: () => void) => Promise<Grant>): Promise<Grant> {
    let sentAt = getCurrentMoment();
    try {
      const grant = await send(() => {
        sentAt = getCurrentMoment();
      });
      lease.applyGrant(grant, sentAt);
      lease.releaseRequests.receive(grant.releaseRequested);
      this.#watchdog.reschedule(lease);
      return grant;
    } catch (error) {
      throw this.#applyLoss(lease, error);
    }
  }

  /** Marks the lease as lost if the error is a LostError and the lease is not closed. Returns the error to throw. */
  #applyLoss(lease: HoldLease, error: unknown): unknown {
    if (!(error instanceof LostError)) return error;
    if (lease.state === "closed") return createHoldLostError(lease, "it was released", { cause: error });
    const { owner, fence } = lease;
    lease.markLost(new LostError(error.message, { ...error.facts, owner, fence }));
    return lease.loss ?? error;
  }

  /** Stops renewing the lease, and waits for a renewal that is in progress. */
  async #pauseRenewal(lease: HoldLease): Promise<void> {
    this.#watchdog.forget(lease);
    await this.#watchdog.finishRenewal(lease);
    this.#watchdog.forget(lease);
  }

  #onForceRelease(token: string, fence: string): void {
    const lease = this.#byToken.get(token);
    if (lease?.fence === fence) {
      lease.markLost(createHoldLostError(lease, "an operator force-released it"));
    }
  }

  /**
   * Undoes a failed re-entry that Redis may have counted. Repeats the re-entry with the same request id, so that Redis
   * has counted it exactly once, and then releases that count.
   */
  async #abandonReentry(lease: HoldLease, request: RenewOptions, deadline: number): Promise<void> {
    const { verbs } = this.backend;
    const ref = lease.toRef();
    const requestId = randomUUID();
    while (performance.now() < deadline) {
      try {
        await verbs.reenter(ref, request).catch((error: unknown) => {
          if (!(error instanceof NotReplicatedError)) throw error;
        });
        await verbs.release(ref, { requestId });
        return;
      } catch (error) {
        if (!isOutage(error)) return;
      }
      await sleep(ABANDON_RETRY_MS, undefined, { ref: false });
    }
  }
}

function isHeld({ state }: HoldLease): boolean {
  return state === "held" || state === "jeopardy";
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof UnavailableError ||
    error instanceof UnknownOutcomeError ||
    error instanceof NotReplicatedError
  );
}
