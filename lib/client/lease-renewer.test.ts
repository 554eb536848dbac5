import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Grant } from "./grant.ts";
import { HoldLease } from "./hold-lease.ts";
import { LeaseRenewer, type RenewalOutcome } from "./lease-renewer.ts";
import { getCurrentMoment } from "./moment.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const createGrant = (more: Partial<Grant> = {}): Grant => {
  const { leaseMs = 3000 } = more;
  const identity = { holdId: "h1.a", fence: "7", owner: "me", format: "redisson", count: 1 } as const;
  return { ...identity, leaseMs, sentAt: getCurrentMoment(), leftMs: leaseMs, ...more };
};

interface SentRequest {
  readonly atMs: number;
  readonly leases: readonly HoldLease[];
}

/** Starts a renewer whose requests complete immediately, unless `answer` returns a promise. */
function startRenewer(
  answer: (lease: HoldLease, request: number) => RenewalOutcome | Promise<RenewalOutcome>,
) {
  const requests: SentRequest[] = [];
  const startedAt = performance.now();
  const renewer = new LeaseRenewer(async (leases) => {
    requests.push({ atMs: Math.round(performance.now() - startedAt), leases });
    const request = requests.length - 1;
    const sentAt = getCurrentMoment();
    return await Promise.all(
      leases.map(async (lease) => {
        const outcome = await answer(lease, request);
        const { leaseMs } = lease;
        if (outcome === "renewed") lease.applyGrant(createGrant({ leaseMs, leftMs: leaseMs, sentAt }));
        else lease.markInJeopardy();
        return outcome;
      }),
    );
  });
  const add = (more?: Partial<Grant>) => {
    const lease = new HoldLease("k", createGrant(more));
    lease.onEnd = () => renewer.remove(lease);
    renewer.add(lease);
    return lease;
  };
  return { requests, renewer, add, times: () => requests.map(({ atMs }) => atMs) };
}

describe("one lease", () => {
  it("a lease is renewed after a third of it, and soon again after a failure", async () => {
    const outcomes = ["renewed", "failed", "failed", "renewed", "renewed"] as const;
    const { renewer, add, times } = startRenewer((_, request) => outcomes[request] ?? "renewed");
    const lease = add();
    await vi.advanceTimersByTimeAsync(3600);
    lease.close();
    await renewer.finish(lease);
    expect(times()).toEqual([1000, 2000, 2250, 2500, 3500]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(times()).toHaveLength(5);
  });

  it("a refused renewal is repeated after another third, until the deadline", async () => {
    const { add, times } = startRenewer(() => "refused");
    const lease = add();
    await vi.advanceTimersByTimeAsync(9000);
    expect(times()).toEqual([1000, 2000]);
    expect(lease.state).toBe("lost");
  });

  it("a lease that is granted for less than its length is renewed after a third of what is left", async () => {
    const { add, times } = startRenewer(() => "renewed");
    const lease = add({ leftMs: 900 });
    await vi.advanceTimersByTimeAsync(1600);
    expect(times()).toEqual([300, 1300]);
    lease.close();
  });

  it("a lease whose deadline passed while the machine was suspended is not renewed", async () => {
    const { add, times } = startRenewer(() => "renewed");
    const lease = add();
    vi.setSystemTime(Date.now() + 60_000);
    await vi.advanceTimersByTimeAsync(2000);
    expect([lease.state, times()]).toEqual(["lost", []]);
  });

  it("finish waits for the renewal in flight, and no other follows", async () => {
    let respond: (outcome: RenewalOutcome) => void = () => undefined;
    const { renewer, add, times } = startRenewer(
      () => new Promise<RenewalOutcome>((resolve) => (respond = resolve)),
    );
    const lease = add();
    await vi.advanceTimersByTimeAsync(1000);
    lease.close();
    let isFinished = false;
    const finishing = renewer.finish(lease).then(() => (isFinished = true));
    await vi.advanceTimersByTimeAsync(100);
    expect(isFinished).toBe(false);
    respond("failed");
    await finishing;
    await vi.advanceTimersByTimeAsync(5000);
    expect(times()).toEqual([1000]);
  });
});

describe("many leases", () => {
  it("leases of one length share a request, wherever in the interval they were acquired", async () => {
    const { requests, add, times } = startRenewer(() => "renewed");
    for (let n = 0; n < 1000; n++) {
      add({ leaseMs: 30_000 });
      await vi.advanceTimersByTimeAsync(9);
    }
    await vi.advanceTimersByTimeAsync(51_500);
    expect(times()).toEqual([10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
    expect(new Set(requests.map(({ leases }) => leases.length))).toEqual(new Set([1000]));
  });

  it("more than 1,000 leases, and lengths that differ much, need several requests", async () => {
    const { requests, add } = startRenewer(() => "renewed");
    for (let n = 0; n < 1500; n++) add({ leaseMs: 30_000, leftMs: 15_000 });
    for (const leaseMs of [1000, 4000, 5000]) add({ leaseMs, leftMs: 300 });
    await vi.advanceTimersByTimeAsync(100);
    expect(requests.map(({ leases }) => leases.length)).toEqual([2, 1]);
    await vi.advanceTimersByTimeAsync(5000);
    const long = requests.map(({ leases }) => leases.filter(({ leaseMs }) => leaseMs === 30_000).length);
    expect(long.filter((count) => count > 0)).toEqual([1000, 500]);
  });

  it("a hold that cannot be renewed is repeated alone", async () => {
    const { requests, add } = startRenewer((lease) => (lease === bad ? "failed" : "renewed"));
    for (let n = 0; n < 100; n++) add();
    const bad: HoldLease = add();
    await vi.advanceTimersByTimeAsync(3100);
    expect(bad.state).toBe("lost");
    const sizes = requests.map(({ leases }) => leases.length);
    expect(sizes.filter((size) => size >= 100)).toHaveLength(3);
    expect(sizes.filter((size) => size === 1).length).toBeGreaterThanOrEqual(5);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(320);
  });

  it("a renewed lease is never lost, a failed one is repeated, and a closed one is left alone", async () => {
    const plan = fc.record({
      leaseMs: fc.integer({ min: 100, max: 60_000 }),
      addAtMs: fc.integer({ min: 0, max: 5000 }),
      closeAtMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined }),
      /**
       * Number of consecutive failures. At most 5, because five retries, each after a tenth of the lease, fit into the
       * lease.
       */
      failures: fc.integer({ min: 0, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 12 }), async (plans) => {
        const failed = new Map<HoldLease, number>();
        const allowed = new Map<HoldLease, number>();
        const sentAfterEnd: HoldLease[] = [];
        const { add } = startRenewer((lease) => {
          if (!lease.isCertain) sentAfterEnd.push(lease);
          const failures = failed.get(lease) ?? 0;
          const fails = failures < (allowed.get(lease) ?? 0);
          failed.set(lease, fails ? failures + 1 : 0);
          return fails ? "failed" : "renewed";
        });
        const leases: HoldLease[] = [];
        const closed = new Set<HoldLease>();
        const steps = plans.flatMap(({ addAtMs, closeAtMs, leaseMs, failures }) => {
          let lease: HoldLease | undefined;
          const begin = () => {
            lease = add({ leaseMs });
            allowed.set(lease, failures);
            leases.push(lease);
          };
          const end = () => {
            lease?.close();
            if (lease !== undefined) closed.add(lease);
          };
          const first = { atMs: addAtMs, run: begin };
          return closeAtMs === undefined ? [first] : [first, { atMs: addAtMs + closeAtMs, run: end }];
        });
        let nowMs = 0;
        for (const { atMs, run } of steps.toSorted((one, two) => one.atMs - two.atMs)) {
          await vi.advanceTimersByTimeAsync(atMs - nowMs);
          nowMs = atMs;
          run();
        }
        await vi.advanceTimersByTimeAsync(40_000);
        expect(leases.map(({ state }) => state !== "lost")).toEqual(leases.map(() => true));
        expect(sentAfterEnd).toEqual([]);
        for (const lease of leases) if (!closed.has(lease)) lease.close();
        expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
        vi.clearAllTimers();
      }),
      { numRuns: 60 },
    );
  });
});
