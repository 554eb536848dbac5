import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeenHolder } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import {
  type CurrentHolder,
  deriveEvents,
  type EndCause,
  eventsFromScript,
  isOfReportedHold,
  isOpen,
  type NewEvent,
  type ReportedHold,
} from "./event-derivation.ts";

const NOW = 1_790_000_000_000;
const UUID_OWNER = "5f0c0c1e-0000-4000-8000-000000000001:1";

function buildScriptEvent(type: ScriptEvent["type"], given: Partial<ScriptEvent> = {}): ScriptEvent {
  return {
    type,
    key: "lock:a",
    at: NOW,
    fence: "100",
    seq: 1,
    count: 1,
    heldMs: undefined,
    owner: "me",
    by: undefined,
    reason: undefined,
    ...given,
  };
}

interface HolderInput extends Partial<SeenHolder> {
  asOf?: number;
  remainingMs?: number | null;
  epoch?: number;
  isInitialScan?: boolean;
  wasForceReleased?: boolean;
  sharesEnd?: boolean;
}

type HolderReading = CurrentHolder & { readonly asOf: number };

/** A foreign hold unless it is given a fence; `sinceMs` is what watching knows. */
function buildReading(given: HolderInput = {}): HolderReading {
  const { asOf = NOW, remainingMs = 30_000, epoch = 1, isInitialScan = false, sinceMs, ...more } = given;
  const { wasForceReleased = false, sharesEnd = false, ...holder } = more;
  const owner = holder.owner ?? UUID_OWNER;
  const first: SeenHolder = {
    token: holder.fence ? `${UUID_OWNER}${holder.fence}` : owner,
    owner,
    count: 1,
    fence: null,
    sinceMs: null,
    leaseMs: null,
    record: undefined,
    marginMs: 0,
    seq: 0,
    ...holder,
  };
  return {
    ...{
      asOf,
      holder: first,
      epoch,
      isInitialScan: isInitialScan,
      wasForceReleased: wasForceReleased,
      sharesEnd,
    },
    sinceMs: sinceMs ?? NOW,
    endsAtMs: remainingMs === null ? null : asOf + remainingMs,
  };
}

/** One lock's story as it is told. */
class DerivationFixture {
  reported: ReportedHold | undefined;
  readonly events: NewEvent[] = [];

  receiveScriptEvent(event: ScriptEvent, hint?: EndCause): NewEvent[] {
    return this.#apply(eventsFromScript(this.reported, event, hint));
  }

  applyReading(look: HolderReading | undefined, asOf = look?.asOf ?? NOW, hint?: EndCause): NewEvent[] {
    const open = isOpen(this.reported) ? [this.reported] : [];
    const { tales, events } = deriveEvents(open, look === undefined ? [] : [look], asOf, hint);
    return this.#apply({ tale: tales.at(-1) ?? this.reported, events });
  }

  #apply({ tale, events }: { tale: ReportedHold | undefined; events: NewEvent[] }): NewEvent[] {
    this.reported = tale;
    this.events.push(...events);
    return events;
  }
}

describe("events from scripts", () => {
  it("a script event is published exactly, with fencing token, count, time and operator", () => {
    const teller = new DerivationFixture();
    expect(teller.receiveScriptEvent(buildScriptEvent("acquired"))).toEqual([
      { type: "acquired", at: NOW, owner: "me", fence: "100", count: 1, seq: 1, observed: "exact" },
    ]);
    expect(
      teller.receiveScriptEvent(buildScriptEvent("reentered", { seq: 2, count: 2, at: NOW + 1 })),
    ).toMatchObject([{ type: "reentered", count: 2, at: NOW + 1 }]);
    expect(teller.receiveScriptEvent(buildScriptEvent("renewed", { seq: 3, count: 2 }))).toMatchObject([
      { type: "renewed", count: 2 },
    ]);
    expect(
      teller.receiveScriptEvent(
        buildScriptEvent("force_released", {
          seq: 4,
          count: 0,
          heldMs: 700,
          by: "mei",
          reason: "stuck",
          at: NOW + 700,
        }),
      ),
    ).toEqual([
      {
        type: "force_released",
        at: NOW + 700,
        seq: 4,
        owner: "me",
        fence: "100",
        heldMs: 700,
        by: "mei",
        reason: "stuck",
        observed: "exact",
      },
    ]);
  });

  it("a partial release carries the remaining count and the last release carries the held time", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    teller.receiveScriptEvent(buildScriptEvent("reentered", { seq: 2, count: 2 }));
    expect(teller.receiveScriptEvent(buildScriptEvent("released", { seq: 3, count: 1 }))).toMatchObject([
      { type: "released", count: 1 },
    ]);
    const [last] = teller.receiveScriptEvent(
      buildScriptEvent("released", { seq: 4, count: 0, at: NOW + 50 }),
    );
    expect(last).toMatchObject({ type: "released", heldMs: 50 });
    expect(last).not.toHaveProperty("count");
  });

  it("the held time reported by a script takes precedence over the computed one", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    expect(
      teller.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0, at: NOW + 50, heldMs: 49 })),
    ).toMatchObject([{ heldMs: 49 }]);
  });

  it("the release of an unknown hold carries no held time", () => {
    const [released] = new DerivationFixture().receiveScriptEvent(
      buildScriptEvent("released", { seq: 9, count: 0 }),
    );
    expect(released).not.toHaveProperty("heldMs");
  });

  it("an acquired event of the next hold first emits the unreported end of the previous one", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    teller.applyReading(buildReading({ owner: "me", fence: "100", seq: 1, remainingMs: 1000 }));
    expect(
      teller
        .receiveScriptEvent(buildScriptEvent("acquired", { owner: "other", fence: "200", at: NOW + 1000 }))
        .map(({ type }) => type),
    ).toEqual(["expired", "acquired"]);
  });

  it("an unreported end before the next hold takes its cause from Redis", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    const next = buildScriptEvent("acquired", { owner: "other", fence: "200", at: NOW + 10 });
    expect(teller.receiveScriptEvent(next, "evicted").map(({ type }) => type)).toEqual([
      "evicted",
      "acquired",
    ]);
  });

  it("the reservation event follows the force_released event that caused it", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    const reserved = buildScriptEvent("acquired", { owner: "lockkeeper:reserve:mei", fence: "200" });
    const words = [buildScriptEvent("force_released", { seq: 2, count: 0, by: "mei" }), reserved];
    for (const word of [...words, ...words]) teller.receiveScriptEvent(word);
    expect(teller.events.map(({ type, owner, observed }) => `${type} ${owner} ${observed}`)).toEqual([
      "acquired me exact",
      "force_released me exact",
      "acquired lockkeeper:reserve:mei exact",
    ]);
  });

  it("two holds of one label, one after the other, are two holds", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ owner: "me", fence: "100", seq: 1 }));
    const types = (events: readonly NewEvent[]) => events.map(({ type, fence }) => `${type} ${fence}`);
    const next = buildReading({ owner: "me", fence: "200", seq: 1, asOf: NOW + 10, sinceMs: NOW + 5 });
    expect(types(teller.applyReading(next))).toEqual(["released 100", "acquired 200"]);
    const late = buildScriptEvent("released", { seq: 2, count: 0, at: NOW + 4 });
    expect(teller.receiveScriptEvent(late)).toEqual([]);
    expect(teller.reported).toMatchObject({ fence: "200", count: 1 });
  });

  it("a foreign hold that is replaced by one with the same fence of none and another token has ended", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ token: "uuid:1", owner: "me" }));
    const next = buildReading({ token: "uuid:2", owner: "me", asOf: NOW + 10 });
    expect(teller.applyReading(next).map(({ type }) => type)).toEqual(["released", "acquired"]);
  });

  it("a script event is assigned by its fencing token, and the label of the hold is kept", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ owner: "me", fence: "100", seq: 1, sinceMs: NOW }));
    const released = buildScriptEvent("released", { owner: "forged", seq: 2, count: 0, at: NOW + 50 });
    expect(teller.receiveScriptEvent(released)).toMatchObject([
      { type: "released", owner: "me", heldMs: 50 },
    ]);
    expect(isOpen(teller.reported)).toBe(false);
  });

  it("a force-release of a foreign holder does not end a Lockkeeper hold labelled like it", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ owner: UUID_OWNER, fence: "100", seq: 1 }));
    const { reported } = teller;
    expect(
      reported &&
        isOfReportedHold(buildScriptEvent("force_released", { owner: UUID_OWNER, fence: null }), reported),
    ).toBe(false);
  });

  it("a late event of an older hold is ignored", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired", { owner: "other", fence: "200" }));
    const before = teller.reported;
    expect(teller.receiveScriptEvent(buildScriptEvent("released", { seq: 5, count: 0 }))).toEqual([]);
    expect(teller.receiveScriptEvent(buildScriptEvent("renewed", { seq: 5 }))).toEqual([]);
    expect(teller.reported).toEqual(before);
  });

  it("a repeated script event is published once, even after the hold has ended", () => {
    const teller = new DerivationFixture();
    const words = [
      buildScriptEvent("acquired"),
      buildScriptEvent("renewed", { seq: 2 }),
      buildScriptEvent("released", { seq: 3, count: 0 }),
    ];
    for (const word of [...words, ...words]) teller.receiveScriptEvent(word);
    expect(teller.events.map(({ type }) => type)).toEqual(["acquired", "renewed", "released"]);
  });

  it("a script event is not published again when a read has already shown its change", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ owner: "me", fence: "100", seq: 3, count: 2 }));
    expect(teller.receiveScriptEvent(buildScriptEvent("reentered", { seq: 3, count: 2 }))).toEqual([]);
    expect(teller.receiveScriptEvent(buildScriptEvent("released", { seq: 4, count: 1 }))).toHaveLength(1);
  });

  it("a late script event after an inferred release is ignored, except for the operator of a force-release", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    expect(teller.applyReading(undefined, NOW + 100)).toMatchObject([
      { type: "released", observed: "inferred" },
    ]);
    expect(teller.receiveScriptEvent(buildScriptEvent("renewed", { seq: 2 }))).toEqual([]);
    expect(teller.receiveScriptEvent(buildScriptEvent("released", { seq: 3, count: 0 }))).toEqual([]);
    const forced = buildScriptEvent("force_released", { seq: 3, count: 0, by: "mei" });
    expect(teller.receiveScriptEvent(forced)).toMatchObject([{ type: "force_released", by: "mei" }]);
    expect(teller.receiveScriptEvent(forced)).toEqual([]);
  });

  it("a force_released event ends a foreign hold", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ sinceMs: NOW - 500 }));
    const forced = buildScriptEvent("force_released", {
      owner: UUID_OWNER,
      fence: null,
      seq: 0,
      count: 0,
      by: "mei",
    });
    expect(teller.receiveScriptEvent(forced)).toMatchObject([
      { type: "force_released", fence: null, heldMs: 500 },
    ]);
    expect(teller.applyReading(undefined)).toEqual([]);
  });

  it("an acquired event of the next hold is published after the previous one has ended", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    teller.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0 }));
    expect(
      teller.receiveScriptEvent(buildScriptEvent("acquired", { fence: "200" })).map(({ type }) => type),
    ).toEqual(["acquired"]);
  });
});

describe("events inferred from reads", () => {
  it("a hold found by the first read emits seen, and a hold found later emits acquired", () => {
    expect(
      new DerivationFixture().applyReading(buildReading({ sinceMs: NOW - 900, isInitialScan: true })),
    ).toEqual([{ type: "seen", at: NOW, owner: UUID_OWNER, fence: null, count: 1, observed: "inferred" }]);
    expect(new DerivationFixture().applyReading(buildReading({ sinceMs: NOW - 900 }))).toMatchObject([
      { type: "acquired", at: NOW - 900, observed: "inferred" },
    ]);
  });

  it("a reappearing force-released hold emits recreated, even on the first read", () => {
    expect(new DerivationFixture().applyReading(buildReading({ wasForceReleased: true }))).toMatchObject([
      { type: "recreated" },
    ]);
    expect(
      new DerivationFixture().applyReading(buildReading({ wasForceReleased: true, isInitialScan: true })),
    ).toMatchObject([{ type: "recreated" }]);
  });

  it("a shared lock emits events per holder, and renewals only for holders with their own TTL", () => {
    const told = (tales: ReportedHold[], ...presents: CurrentHolder[]) =>
      deriveEvents(tales, presents, NOW + 9000, undefined);
    const { tales } = told([], buildReading({ owner: "a" }), buildReading({ owner: "b" }));
    const later = { asOf: NOW + 9000, sharesEnd: true };
    const { events } = told(
      tales,
      buildReading({ owner: "b", count: 2, ...later }),
      buildReading({ owner: "c", ...later }),
    );
    expect(events.map(({ type, owner }) => `${type} ${owner}`)).toEqual([
      "released a",
      "reentered b",
      "acquired c",
    ]);
    expect(
      told(tales, buildReading({ owner: "a", ...later }), buildReading({ owner: "b", ...later })).events,
    ).toEqual([]);
    const own = { ...later, sharesEnd: false };
    expect(
      told(tales, buildReading({ owner: "a", ...own }), buildReading({ owner: "b" })).events,
    ).toMatchObject([{ type: "renewed", owner: "a" }]);
  });

  it("an unchanged hold or free key emits nothing", () => {
    const teller = new DerivationFixture();
    expect(teller.applyReading(undefined)).toEqual([]);
    teller.applyReading(buildReading());
    expect(teller.applyReading(buildReading({ asOf: NOW + 1000, remainingMs: 29_000 }))).toEqual([]);
  });

  it("a changed count emits reentered or a partial release", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading());
    expect(teller.applyReading(buildReading({ count: 3 }))).toMatchObject([{ type: "reentered", count: 3 }]);
    expect(teller.applyReading(buildReading({ count: 2 }))).toMatchObject([{ type: "released", count: 2 }]);
  });

  it("a foreign hold emits renewed only when the end of its lease moved later", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading());
    expect(teller.applyReading(buildReading({ asOf: NOW + 10_000, remainingMs: 30_000 }))).toMatchObject([
      { type: "renewed", at: NOW + 10_000 },
    ]);
    expect(teller.applyReading(buildReading({ asOf: NOW + 11_000, remainingMs: 29_003 }))).toEqual([]);
    expect(teller.applyReading(buildReading({ asOf: NOW + 12_000, remainingMs: 5000 }))).toEqual([]);
    expect(teller.applyReading(buildReading({ asOf: NOW + 12_000, remainingMs: null }))).toEqual([]);
  });

  it("a Lockkeeper hold emits no inferred renewals", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ owner: "me", fence: "100", seq: 1 }));
    expect(
      teller.applyReading(
        buildReading({ owner: "me", fence: "100", seq: 2, asOf: NOW + 9000, remainingMs: 30_000 }),
      ),
    ).toEqual([]);
  });

  it("a different owner, fencing token or foreign epoch emits released and acquired", () => {
    const types = (one: HolderReading, two: HolderReading) => {
      const teller = new DerivationFixture();
      teller.applyReading(one);
      return teller.applyReading(two).map(({ type }) => type);
    };
    expect(types(buildReading(), buildReading({ owner: "other" }))).toEqual(["released", "acquired"]);
    expect(types(buildReading(), buildReading({ epoch: 2 }))).toEqual(["released", "acquired"]);
    expect(types(buildReading({ fence: "1" }), buildReading({ fence: "2" }))).toEqual([
      "released",
      "acquired",
    ]);
    expect(types(buildReading({ fence: "1" }), buildReading({ fence: "1", epoch: 2 }))).toEqual([]);
  });

  it("a read adds no events to those a script has published for the same hold", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    expect(teller.applyReading(buildReading({ owner: "me", fence: "100", seq: 1, epoch: 9 }))).toEqual([]);
    teller.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0 }));
    expect(teller.applyReading(undefined)).toEqual([]);
  });

  it("an ended hold restored by Redis emits acquired and starts a new history", () => {
    const teller = new DerivationFixture();
    teller.receiveScriptEvent(buildScriptEvent("acquired"));
    teller.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0 }));
    expect(teller.applyReading(buildReading({ owner: "me", fence: "100", seq: 1 }))).toMatchObject([
      { type: "acquired" },
    ]);
    expect(teller.receiveScriptEvent(buildScriptEvent("renewed", { seq: 2 }))).toHaveLength(1);
  });
});

describe("ends inferred from reads", () => {
  const vanished = (asOf: number, hint?: EndCause, given: HolderInput = {}) => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading({ remainingMs: 1000, sinceMs: NOW - 200, ...given }));
    return teller.applyReading(undefined, asOf, hint);
  };

  it("a hold that vanished after its lease emits expired at the end of the lease", () => {
    expect(vanished(NOW + 1040)).toEqual([
      { type: "expired", at: NOW + 1000, owner: UUID_OWNER, fence: null, heldMs: 1200, observed: "inferred" },
    ]);
  });

  it("a hold that vanished a few milliseconds before its lease ended emits expired", () => {
    expect(vanished(NOW + 996)).toMatchObject([{ type: "expired", at: NOW + 996 }]);
  });

  it("a hold that vanished before its lease ended emits released", () => {
    expect(vanished(NOW + 900)).toMatchObject([{ type: "released", at: NOW + 900, heldMs: 1100 }]);
  });

  it("a vanished hold without a TTL emits released", () => {
    expect(vanished(NOW + 9_000_000, undefined, { remainingMs: null })).toMatchObject([{ type: "released" }]);
  });

  it("a vanished hold takes the end cause that Redis reported", () => {
    expect(vanished(NOW + 500, "expired")).toMatchObject([{ type: "expired", at: NOW + 500 }]);
    expect(vanished(NOW + 500, "evicted")).toMatchObject([{ type: "evicted", at: NOW + 500 }]);
    expect(vanished(NOW + 1500, "evicted")).toMatchObject([{ type: "evicted", at: NOW + 1500 }]);
  });

  it("a hold that vanished while Redis was disconnected gives that as the reason, unless its lease had ended", () => {
    expect(vanished(NOW + 500, "blind")).toMatchObject([
      { type: "released", reason: expect.stringContaining("out of sight") },
    ]);
    const [expired] = vanished(NOW + 1500, "blind");
    expect(expired?.type).toBe("expired");
    expect(expired).not.toHaveProperty("reason");
  });

  it("a hold whose key became unreadable is released with a reason that leaves its end open", () => {
    expect(vanished(NOW + 500, "unreadable")).toMatchObject([
      { type: "released", reason: expect.stringContaining("may still stand") },
    ]);
  });

  it("the end of a vanished hold is emitted once", () => {
    const teller = new DerivationFixture();
    teller.applyReading(buildReading());
    teller.applyReading(undefined, NOW + 100);
    expect(teller.applyReading(undefined, NOW + 200)).toEqual([]);
    expect(teller.applyReading(undefined, NOW + 99_999, "expired")).toEqual([]);
  });
});

type Move = "acquire" | "reenter" | "renew" | "release" | "force" | "vanish";

interface SimulatedChange {
  /** undefined: the hold lapsed, and no script says so. */
  readonly event: ScriptEvent | undefined;
  /** What a look shows afterwards. */
  readonly present: HolderReading | undefined;
  readonly at: number;
}

/** What our scripts would say while one lock is used so. Every event has a time of its own. */
function simulate(moves: readonly Move[]): SimulatedChange[] {
  const happenings: SimulatedChange[] = [];
  let hold: { owner: string; fence: string; seq: number; count: number; since: number } | undefined;
  let fence = 1_000_000;
  let at = NOW;
  for (const move of moves) {
    at += 10;
    if (move === "acquire" ? hold !== undefined : hold === undefined) continue;
    if (hold === undefined) {
      fence += 7;
      hold = { owner: `owner-${fence % 3}`, fence: String(fence), seq: 0, count: 0, since: at };
    }
    const before = hold;
    const left = {
      acquire: 1,
      reenter: before.count + 1,
      renew: before.count,
      release: before.count - 1,
      force: 0,
      vanish: 0,
    };
    const count = left[move];
    const next = { ...before, count, seq: before.seq + 1 };
    hold = count === 0 ? undefined : next;
    const types = {
      acquire: "acquired",
      reenter: "reentered",
      renew: "renewed",
      release: "released",
      force: "force_released",
    } as const;
    const { owner, seq } = next;
    happenings.push({
      at,
      event:
        move === "vanish"
          ? undefined
          : buildScriptEvent(types[move], { owner, fence: next.fence, seq, count, at }),
      present:
        hold === undefined
          ? undefined
          : buildReading({
              owner,
              fence: next.fence,
              seq,
              count,
              asOf: at,
              sinceMs: before.since,
              remainingMs: 1000,
            }),
    });
  }
  return happenings;
}

const moves = fc.array(
  fc.constantFrom<Move>("acquire", "acquire", "reenter", "renew", "release", "release", "force", "vanish"),
  { maxLength: 40 },
);

const countEvents = (told: readonly NewEvent[], observed: NewEvent["observed"]) =>
  told.filter((event) => event.observed === observed).map(({ at }) => at);

describe("event derivation of one lock", () => {
  it("each script event is published once and in order, however often and late it is repeated", () => {
    const delays = fc.array(fc.option(fc.nat({ max: 6 }), { nil: undefined }), {
      minLength: 40,
      maxLength: 40,
    });
    fc.assert(
      fc.property(moves, delays, (played, repeatedAfter) => {
        const events = simulate(played).flatMap(({ event }) => event ?? []);
        const teller = new DerivationFixture();
        events.forEach((event, index) => {
          teller.receiveScriptEvent(event);
          for (let earlier = 0; earlier <= index; earlier++) {
            const again = events[earlier];
            if (again !== undefined && repeatedAfter[earlier] === index - earlier)
              teller.receiveScriptEvent(again);
          }
        });
        expect(countEvents(teller.events, "exact")).toEqual(events.map(({ at }) => at));
      }),
      { numRuns: 1000 },
    );
  });

  it("each expired hold emits one inferred end, and reads in between emit nothing else", () => {
    fc.assert(
      fc.property(moves, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (played, isLookedAt) => {
        const happenings = simulate(played);
        const teller = new DerivationFixture();
        happenings.forEach(({ event, present, at }, index) => {
          if (event !== undefined) teller.receiveScriptEvent(event);
          if (isLookedAt[index] || event === undefined) teller.applyReading(present, at);
        });
        const vanished = happenings.filter(({ event }) => event === undefined);
        expect(countEvents(teller.events, "inferred")).toEqual(vanished.map(({ at }) => at));
        expect(countEvents(teller.events, "exact")).toEqual(
          happenings.flatMap(({ event }) => event?.at ?? []),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
