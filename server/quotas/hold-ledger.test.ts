import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HoldLedger, type LedgerRef, toLedgerKey } from "./hold-ledger.ts";

const hold = (principal: string, bytes: number, remainingMs: number | null = 1000) => ({
  principal,
  bytes,
  remainingMs,
});

describe("the ledger of live holds", () => {
  it("counts the holds and bytes of each principal over all targets", () => {
    const ledger = new HoldLedger();
    ledger.record("a", { key: "lock:1" }, hold("app", 100));
    ledger.record("b", { key: "lock:1" }, hold("app", 50));
    ledger.record("b", { key: "lock:2" }, hold("other", 7));
    expect(ledger.getUsage("app")).toEqual({ holds: 2, bytes: 150 });
    ledger.record("a", { key: "lock:1" }, hold("other", 100));
    ledger.forget("b", { key: "lock:2" });
    expect([ledger.getUsage("app"), ledger.getUsage("other")]).toEqual([
      { holds: 1, bytes: 50 },
      { holds: 1, bytes: 100 },
    ]);
  });

  it("drops a hold when its time has passed, unless it was extended or has no expiry", () => {
    let now = 0;
    const ledger = new HoldLedger(() => now);
    ledger.record("a", { key: "lock:short" }, hold("app", 1, 100));
    ledger.record("a", { key: "lock:extended" }, hold("app", 1, 100));
    ledger.record("a", { key: "lock:endless" }, hold("app", 1, null));
    ledger.extend("a", { key: "lock:extended" }, 500);
    ledger.extend("a", { key: "lock:unknown" }, 500);
    now = 100;
    expect(ledger.getUsage("app").holds).toBe(2);
    now = 500;
    expect([ledger.getUsage("app").holds, ledger.size]).toEqual([1, 1]);
  });

  it("counts each hold that shares a key, and drops those that are no longer observed", () => {
    let now = 0;
    const ledger = new HoldLedger(() => now);
    const reader = (token: string) => ({ key: "lock:1", kind: "read", token }) as const;
    for (const token of ["granted", "seen"]) ledger.record("a", reader(token), hold("app", 1, 60_000));
    ledger.recordObserved("a", reader("other"), hold("app", 1, 60_000));
    expect(ledger.getUsage("app").holds).toBe(3);
    const observed = new Set([toLedgerKey(reader("seen"))]);
    ledger.forgetSharers("a", "lock:1", observed);
    // The observation may be older than the grant.
    expect(ledger.findPrincipal("a", reader("granted"))).toBe("app");
    expect(ledger.findPrincipal("a", reader("other"))).toBeUndefined();
    now = 6000;
    ledger.forgetSharers("a", "lock:1", observed);
    expect(ledger.getUsage("app").holds).toBe(1);
    ledger.record("a", reader("brief"), hold("app", 1, 60_000));
    ledger.forgetSharers("a", "lock:1", new Set([...observed, toLedgerKey(reader("brief"))]));
    ledger.forgetSharers("a", "lock:1", observed);
    expect(ledger.findPrincipal("a", reader("brief"))).toBeUndefined();
    now = 12_000;
    ledger.replace("a", reader("seen"), { key: "lock:1" }, 100);
    ledger.forgetSharers("a", "lock:1", new Set());
    expect(ledger.findPrincipal("a", { key: "lock:1" })).toBe("app");
  });

  it("keeps a hold for 5 s after its grant if an observation without it may be older", () => {
    let now = 10_000;
    const ledger = new HoldLedger(() => now);
    const ref = { key: "lock:1", token: "1" };
    const getHolds = () => ledger.getUsage("app").holds;
    ledger.record("a", ref, hold("app", 1, 60_000));
    for (const readAt of [undefined, 9999]) {
      ledger.forgetUnobserved("a", ref, readAt);
      ledger.recordObserved("a", { key: "lock:1", token: "0" }, hold("other", 1), readAt);
    }
    expect([getHolds(), ledger.getUsage("other").holds]).toEqual([1, 0]);
    now = 15_000;
    expect(getHolds()).toBe(0);
    // A renewal, or an observation of the hold, shows that it exists.
    ledger.record("a", ref, hold("app", 1, 60_000));
    ledger.forgetUnobserved("a", ref);
    ledger.extend("a", ref, 60_000);
    now = 20_000;
    expect(getHolds()).toBe(1);
    ledger.record("a", ref, hold("app", 1, 60_000));
    ledger.forgetUnobserved("a", ref);
    ledger.recordObserved("a", ref, hold("app", 1, 60_000));
    now = 25_000;
    expect(getHolds()).toBe(1);
    ledger.forgetUnobserved("a", ref);
    expect(getHolds()).toBe(0);
    // A read that was sent after the grant shows that the hold has ended.
    ledger.record("a", ref, hold("app", 1, 60_000));
    ledger.forgetUnobserved("a", ref, now);
    expect(getHolds()).toBe(0);
    ledger.record("a", ref, hold("app", 1, 60_000));
    ledger.recordObserved("a", { key: "lock:1", token: "2" }, hold("other", 1, 60_000), now);
    expect([getHolds(), ledger.getUsage("other").holds]).toEqual([0, 1]);
  });

  it("has the sum of its holds as usage after any sequence of changes", () => {
    const change = fc.record({
      what: fc.constantFrom("record", "forget", "forget_sharers", "extend", "wait"),
      target: fc.constantFrom("a", "b"),
      ref: fc.constantFrom<LedgerRef>(
        { key: "lock:1" },
        { key: "lock:1", kind: "read", token: "1" },
        { key: "lock:1", kind: "read", token: "2" },
        { key: "lock:2", kind: "semaphore", token: "1" },
      ),
      principal: fc.constantFrom("app", "other"),
      bytes: fc.nat(9),
      ms: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        let now = 0;
        const ledger = new HoldLedger(() => now);
        const model = new Map<string, { principal: string; bytes: number; end: number }>();
        for (const { what, target, ref, principal, bytes, ms } of changes) {
          const id = `${target} ${toLedgerKey(ref)}`;
          for (const [each, { end }] of model) if (end <= now) model.delete(each);
          ledger.getUsage(principal);
          const known = model.get(id);
          if (what === "wait") now += ms;
          if (what === "forget") ledger.forget(target, ref);
          if (what === "forget") model.delete(id);
          if (what === "forget_sharers") {
            // Long enough after the grants that the observation cannot be older.
            now += 5000;
            ledger.forgetSharers(target, ref.key, new Set());
            for (const each of model.keys())
              if (each.startsWith(`${target} ${ref.key}\0`)) model.delete(each);
          }
          if (what === "extend") ledger.extend(target, ref, ms);
          if (what === "extend" && known !== undefined) known.end = Math.max(known.end, now + ms);
          if (what === "record") ledger.record(target, ref, { principal, bytes, remainingMs: ms });
          if (what === "record") model.set(id, { principal, bytes, end: now + ms });
        }
        for (const principal of ["app", "other"]) {
          const own = [...model.values()].filter((each) => each.principal === principal && each.end > now);
          expect(ledger.getUsage(principal)).toEqual({
            holds: own.length,
            bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
          });
        }
      }),
    );
  });
});
