import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HoldLedger } from "./hold-ledger.ts";

const hold = (principal: string, bytes: number, remainingMs: number | null = 1000) => ({
  principal,
  bytes,
  remainingMs,
});

describe("the ledger of live holds", () => {
  it("counts the holds and bytes of each principal over all targets", () => {
    const ledger = new HoldLedger();
    ledger.record("a", "lock:1", hold("app", 100));
    ledger.record("b", "lock:1", hold("app", 50));
    ledger.record("b", "lock:2", hold("other", 7));
    expect(ledger.getUsage("app")).toEqual({ holds: 2, bytes: 150 });
    ledger.record("a", "lock:1", hold("other", 100));
    ledger.forget("b", "lock:2");
    expect([ledger.getUsage("app"), ledger.getUsage("other")]).toEqual([
      { holds: 1, bytes: 50 },
      { holds: 1, bytes: 100 },
    ]);
  });

  it("drops a hold when its time has passed, unless it was extended or has no expiry", () => {
    let now = 0;
    const ledger = new HoldLedger(() => now);
    ledger.record("a", "lock:short", hold("app", 1, 100));
    ledger.record("a", "lock:extended", hold("app", 1, 100));
    ledger.record("a", "lock:endless", hold("app", 1, null));
    ledger.extend("a", "lock:extended", 500);
    ledger.extend("a", "lock:unknown", 500);
    now = 100;
    expect(ledger.getUsage("app").holds).toBe(2);
    now = 500;
    expect([ledger.getUsage("app").holds, ledger.size]).toEqual([1, 1]);
  });

  it("has the sum of its holds as usage after any sequence of changes", () => {
    const change = fc.record({
      what: fc.constantFrom("record", "forget", "extend", "wait"),
      target: fc.constantFrom("a", "b"),
      key: fc.constantFrom("lock:1", "lock:2", "lock:3"),
      principal: fc.constantFrom("app", "other"),
      bytes: fc.nat(9),
      ms: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        let now = 0;
        const ledger = new HoldLedger(() => now);
        const model = new Map<string, { principal: string; bytes: number; end: number }>();
        for (const { what, target, key, principal, bytes, ms } of changes) {
          const id = `${target} ${key}`;
          for (const [each, { end }] of model) if (end <= now) model.delete(each);
          ledger.getUsage(principal);
          const known = model.get(id);
          if (what === "wait") now += ms;
          if (what === "forget") ledger.forget(target, key);
          if (what === "forget") model.delete(id);
          if (what === "extend") ledger.extend(target, key, ms);
          if (what === "extend" && known !== undefined) known.end = Math.max(known.end, now + ms);
          if (what === "record") ledger.record(target, key, { principal, bytes, remainingMs: ms });
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
