import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeenHolder } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import {
  type CurrentHolder,
  type EndCause,
  eventsFromScript,
  inferEvents,
  isAboutReportedHold,
  isOpen,
  type NewEvent,
  type ReportedHold,
} from "./event-inference.ts";

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
  isShared?: boolean;
}

type HolderReading = CurrentHolder & { readonly asOf: number };

/** Builds a reading of a foreign hold, or of a Lockkeeper hold if `fence` is given. `sinceMs` is the observed start. */
function buildReading(given: HolderInput = {}): HolderReading {
  const { asOf = NOW, remainingMs = 30_000, epoch = 1, isInitialScan = false, sinceMs, ...more } = given;
  const { wasForceReleased = false, sharesEnd = false, isShared = false, ...holder } = more;
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
      isShared,
      epoch,
      isInitialScan: isInitialScan,
      wasForceReleased: wasForceReleased,
      sharesEnd,
    },
    sinceMs: sinceMs ?? NOW,
    endsAtMs: remainingMs === null ? null : asOf + remainingMs,
  };
}

/** Applies script events and readings to one lock and collects the events that are reported. */
class InferenceFixture {
  reported: ReportedHold | undefined;
  readonly events: NewEvent[] = [];

  receiveScriptEvent(event: ScriptEvent, endCause?: EndCause): NewEvent[] {
    return this.#apply(eventsFromScript(this.reported, event, endCause));
  }

  applyReading(look: HolderReading | undefined, asOf = look?.asOf ?? NOW, endCause?: EndCause): NewEvent[] {
    const open = isOpen(this.reported) ? [this.reported] : [];
    const { next, events } = inferEvents(open, look === undefined ? [] : [look], asOf, endCause);
    return this.#apply({ next: next.at(-1) ?? this.reported, events });
  }

  #apply({ next, events }: { next: ReportedHold | undefined; events: NewEvent[] }): NewEvent[] {
    this.reported = next;
    this.events.push(...events);
    return events;
  }
}

describe("events from scripts", () => {
  it("a script event is published exactly, with fencing token, count, time and operator", () => {
    const fixture = new InferenceFixture();
    expect(fixture.receiveScriptEvent(buildScriptEvent("acquired"))).toEqual([
      { type: "acquired", at: NOW, owner: "me", fence: "100", count: 1, seq: 1, observed: "exact" },
    ]);
    expect(
      fixture.receiveScriptEvent(buildScriptEvent("reentered", { seq: 2, count: 2, at: NOW + 1 })),
    ).toMatchObject([{ type: "reentered", count: 2, at: NOW + 1 }]);
    expect(fixture.receiveScriptEvent(buildScriptEvent("renewed", { seq: 3, count: 2 }))).toMatchObject([
      { type: "renewed", count: 2 },
    ]);
    expect(
      fixture.receiveScriptEvent(
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
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    fixture.receiveScriptEvent(buildScriptEvent("reentered", { seq: 2, count: 2 }));
    expect(fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 3, count: 1 }))).toMatchObject([
      { type: "released", count: 1 },
    ]);
    const [last] = fixture.receiveScriptEvent(
      buildScriptEvent("released", { seq: 4, count: 0, at: NOW + 50 }),
    );
    expect(last).toMatchObject({ type: "released", heldMs: 50 });
    expect(last).not.toHaveProperty("count");
  });

  it("the held time reported by a script takes precedence over the computed one", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    expect(
      fixture.receiveScriptEvent(
        buildScriptEvent("released", { seq: 2, count: 0, at: NOW + 50, heldMs: 49 }),
      ),
    ).toMatchObject([{ heldMs: 49 }]);
  });

  it("the release of an unknown hold carries no held time", () => {
    const [released] = new InferenceFixture().receiveScriptEvent(
      buildScriptEvent("released", { seq: 9, count: 0 }),
    );
    expect(released).not.toHaveProperty("heldMs");
  });

  it("an acquired event of the next hold first emits the unreported end of the previous one", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    fixture.applyReading(buildReading({ owner: "me", fence: "100", seq: 1, remainingMs: 1000 }));
    expect(
      fixture
        .receiveScriptEvent(buildScriptEvent("acquired", { owner: "other", fence: "200", at: NOW + 1000 }))
        .map(({ type }) => type),
    ).toEqual(["expired", "acquired"]);
  });

  it("an unreported end before the next hold takes its cause from Redis", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    const next = buildScriptEvent("acquired", { owner: "other", fence: "200", at: NOW + 10 });
    expect(fixture.receiveScriptEvent(next, "evicted").map(({ type }) => type)).toEqual([
      "evicted",
      "acquired",
    ]);
  });

  it("the reservation event follows the force_released event that caused it", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    const reserved = buildScriptEvent("acquired", { owner: "lockkeeper:reserve:mei", fence: "200" });
    const words = [buildScriptEvent("force_released", { seq: 2, count: 0, by: "mei" }), reserved];
    for (const word of [...words, ...words]) fixture.receiveScriptEvent(word);
    expect(fixture.events.map(({ type, owner, observed }) => `${type} ${owner} ${observed}`)).toEqual([
      "acquired me exact",
      "force_released me exact",
      "acquired lockkeeper:reserve:mei exact",
    ]);
  });

  it("two holds of one label, one after the other, are two holds", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ owner: "me", fence: "100", seq: 1 }));
    const types = (events: readonly NewEvent[]) => events.map(({ type, fence }) => `${type} ${fence}`);
    const next = buildReading({ owner: "me", fence: "200", seq: 1, asOf: NOW + 10, sinceMs: NOW + 5 });
    expect(types(fixture.applyReading(next))).toEqual(["released 100", "acquired 200"]);
    const late = buildScriptEvent("released", { seq: 2, count: 0, at: NOW + 4 });
    expect(fixture.receiveScriptEvent(late)).toEqual([]);
    expect(fixture.reported).toMatchObject({ fence: "200", count: 1 });
  });

  it("a foreign hold that is replaced by one with the same fence of none and another token has ended", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ token: "uuid:1", owner: "me" }));
    const next = buildReading({ token: "uuid:2", owner: "me", asOf: NOW + 10 });
    expect(fixture.applyReading(next).map(({ type }) => type)).toEqual(["released", "acquired"]);
  });

  it("a script event is assigned by its fencing token, and the label of the hold is kept", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ owner: "me", fence: "100", seq: 1, sinceMs: NOW }));
    const released = buildScriptEvent("released", { owner: "forged", seq: 2, count: 0, at: NOW + 50 });
    expect(fixture.receiveScriptEvent(released)).toMatchObject([
      { type: "released", owner: "me", heldMs: 50 },
    ]);
    expect(isOpen(fixture.reported)).toBe(false);
  });

  it("a force-release of a foreign holder does not end a Lockkeeper hold labelled like it", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ owner: UUID_OWNER, fence: "100", seq: 1 }));
    const { reported } = fixture;
    expect(
      reported &&
        isAboutReportedHold(buildScriptEvent("force_released", { owner: UUID_OWNER, fence: null }), reported),
    ).toBe(false);
  });

  it("a late event of an older hold is ignored", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired", { owner: "other", fence: "200" }));
    const before = fixture.reported;
    expect(fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 5, count: 0 }))).toEqual([]);
    expect(fixture.receiveScriptEvent(buildScriptEvent("renewed", { seq: 5 }))).toEqual([]);
    expect(fixture.reported).toEqual(before);
  });

  it("a repeated script event is published once, even after the hold has ended", () => {
    const fixture = new InferenceFixture();
    const words = [
      buildScriptEvent("acquired"),
      buildScriptEvent("renewed", { seq: 2 }),
      buildScriptEvent("released", { seq: 3, count: 0 }),
    ];
    for (const word of [...words, ...words]) fixture.receiveScriptEvent(word);
    expect(fixture.events.map(({ type }) => type)).toEqual(["acquired", "renewed", "released"]);
  });

  it("a script event is not published again when a read has already shown its change", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ owner: "me", fence: "100", seq: 3, count: 2 }));
    expect(fixture.receiveScriptEvent(buildScriptEvent("reentered", { seq: 3, count: 2 }))).toEqual([]);
    expect(fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 4, count: 1 }))).toHaveLength(1);
  });

  it("a late script event after an inferred release is ignored, except for the operator of a force-release", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    expect(fixture.applyReading(undefined, NOW + 100)).toMatchObject([
      { type: "released", observed: "inferred" },
    ]);
    expect(fixture.receiveScriptEvent(buildScriptEvent("renewed", { seq: 2 }))).toEqual([]);
    expect(fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 3, count: 0 }))).toEqual([]);
    const forced = buildScriptEvent("force_released", { seq: 3, count: 0, by: "mei" });
    expect(fixture.receiveScriptEvent(forced)).toMatchObject([{ type: "force_released", by: "mei" }]);
    expect(fixture.receiveScriptEvent(forced)).toEqual([]);
  });

  it("a force_released event ends a foreign hold", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ sinceMs: NOW - 500 }));
    const forced = buildScriptEvent("force_released", {
      owner: UUID_OWNER,
      fence: null,
      seq: 0,
      count: 0,
      by: "mei",
    });
    expect(fixture.receiveScriptEvent(forced)).toMatchObject([
      { type: "force_released", fence: null, heldMs: 500 },
    ]);
    expect(fixture.applyReading(undefined)).toEqual([]);
  });

  it("an acquired event of the next hold is published after the previous one has ended", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0 }));
    expect(
      fixture.receiveScriptEvent(buildScriptEvent("acquired", { fence: "200" })).map(({ type }) => type),
    ).toEqual(["acquired"]);
  });
});

describe("events inferred from reads", () => {
  it("a hold found by the first read emits seen, and a hold found later emits acquired", () => {
    expect(
      new InferenceFixture().applyReading(buildReading({ sinceMs: NOW - 900, isInitialScan: true })),
    ).toEqual([{ type: "seen", at: NOW, owner: UUID_OWNER, fence: null, count: 1, observed: "inferred" }]);
    expect(new InferenceFixture().applyReading(buildReading({ sinceMs: NOW - 900 }))).toMatchObject([
      { type: "acquired", at: NOW - 900, observed: "inferred" },
    ]);
  });

  it("a reappearing force-released hold emits recreated, even on the first read", () => {
    expect(new InferenceFixture().applyReading(buildReading({ wasForceReleased: true }))).toMatchObject([
      { type: "recreated" },
    ]);
    expect(
      new InferenceFixture().applyReading(buildReading({ wasForceReleased: true, isInitialScan: true })),
    ).toMatchObject([{ type: "recreated" }]);
  });

  it("a shared lock emits events per holder, and renewals only for holders with their own TTL", () => {
    const infer = (next: ReportedHold[], ...presents: CurrentHolder[]) =>
      inferEvents(next, presents, NOW + 9000, undefined);
    const { next } = infer([], buildReading({ owner: "a" }), buildReading({ owner: "b" }));
    const later = { asOf: NOW + 9000, sharesEnd: true };
    const { events } = infer(
      next,
      buildReading({ owner: "b", count: 2, ...later }),
      buildReading({ owner: "c", ...later }),
    );
    expect(events.map(({ type, owner }) => `${type} ${owner}`)).toEqual([
      "released a",
      "reentered b",
      "acquired c",
    ]);
    expect(
      infer(next, buildReading({ owner: "a", ...later }), buildReading({ owner: "b", ...later })).events,
    ).toEqual([]);
    const own = { ...later, sharesEnd: false };
    expect(
      infer(next, buildReading({ owner: "a", ...own }), buildReading({ owner: "b" })).events,
    ).toMatchObject([{ type: "renewed", owner: "a" }]);
  });

  it("all events of a permit hold are shared, however they are observed", () => {
    const permit = { fence: "100", seq: 1, isShared: true };
    const seen = new InferenceFixture();
    seen.applyReading(buildReading({ ...permit, isInitialScan: true }));
    seen.applyReading(undefined, NOW + 1000);
    expect(seen.events).toMatchObject([
      { type: "seen", shared: true },
      { type: "released", shared: true, observed: "inferred" },
    ]);
    const [released, granted] = [new InferenceFixture(), new InferenceFixture()];
    released.applyReading(buildReading(permit));
    granted.receiveScriptEvent(buildScriptEvent("acquired", { isShared: true }));
    for (const fixture of [released, granted])
      expect(fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0 }))).toMatchObject([
        { type: "released", shared: true, observed: "exact" },
      ]);
    granted.receiveScriptEvent(buildScriptEvent("acquired", { fence: "200" }));
    expect(granted.events.at(-1)).not.toHaveProperty("shared");
  });

  it("an unchanged hold or free key emits nothing", () => {
    const fixture = new InferenceFixture();
    expect(fixture.applyReading(undefined)).toEqual([]);
    fixture.applyReading(buildReading());
    expect(fixture.applyReading(buildReading({ asOf: NOW + 1000, remainingMs: 29_000 }))).toEqual([]);
  });

  it("a changed count emits reentered or a partial release", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading());
    expect(fixture.applyReading(buildReading({ count: 3 }))).toMatchObject([{ type: "reentered", count: 3 }]);
    expect(fixture.applyReading(buildReading({ count: 2 }))).toMatchObject([{ type: "released", count: 2 }]);
  });

  it("a foreign hold emits renewed only when the end of its lease moved later", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading());
    expect(fixture.applyReading(buildReading({ asOf: NOW + 10_000, remainingMs: 30_000 }))).toMatchObject([
      { type: "renewed", at: NOW + 10_000 },
    ]);
    expect(fixture.applyReading(buildReading({ asOf: NOW + 11_000, remainingMs: 29_003 }))).toEqual([]);
    expect(fixture.applyReading(buildReading({ asOf: NOW + 12_000, remainingMs: 5000 }))).toEqual([]);
    expect(fixture.applyReading(buildReading({ asOf: NOW + 12_000, remainingMs: null }))).toEqual([]);
  });

  it("a Lockkeeper hold emits no inferred renewals", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ owner: "me", fence: "100", seq: 1 }));
    expect(
      fixture.applyReading(
        buildReading({ owner: "me", fence: "100", seq: 2, asOf: NOW + 9000, remainingMs: 30_000 }),
      ),
    ).toEqual([]);
  });

  it("a different owner, fencing token or foreign epoch emits released and acquired", () => {
    const types = (one: HolderReading, two: HolderReading) => {
      const fixture = new InferenceFixture();
      fixture.applyReading(one);
      return fixture.applyReading(two).map(({ type }) => type);
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
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    expect(fixture.applyReading(buildReading({ owner: "me", fence: "100", seq: 1, epoch: 9 }))).toEqual([]);
    fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0 }));
    expect(fixture.applyReading(undefined)).toEqual([]);
  });

  it("an ended hold restored by Redis emits acquired and starts a new history", () => {
    const fixture = new InferenceFixture();
    fixture.receiveScriptEvent(buildScriptEvent("acquired"));
    fixture.receiveScriptEvent(buildScriptEvent("released", { seq: 2, count: 0 }));
    expect(fixture.applyReading(buildReading({ owner: "me", fence: "100", seq: 1 }))).toMatchObject([
      { type: "acquired" },
    ]);
    expect(fixture.receiveScriptEvent(buildScriptEvent("renewed", { seq: 2 }))).toHaveLength(1);
  });
});

describe("ends inferred from reads", () => {
  const vanished = (asOf: number, endCause?: EndCause, given: HolderInput = {}) => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading({ remainingMs: 1000, sinceMs: NOW - 200, ...given }));
    return fixture.applyReading(undefined, asOf, endCause);
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
      { type: "released", reason: expect.stringContaining("not observed") },
    ]);
    const [expired] = vanished(NOW + 1500, "blind");
    expect(expired?.type).toBe("expired");
    expect(expired).not.toHaveProperty("reason");
  });

  it("a hold whose key became unreadable is released with a reason that leaves its end open", () => {
    expect(vanished(NOW + 500, "unreadable")).toMatchObject([
      { type: "released", reason: expect.stringContaining("may not have ended") },
    ]);
  });

  it("the end of a vanished hold is emitted once", () => {
    const fixture = new InferenceFixture();
    fixture.applyReading(buildReading());
    fixture.applyReading(undefined, NOW + 100);
    expect(fixture.applyReading(undefined, NOW + 200)).toEqual([]);
    expect(fixture.applyReading(undefined, NOW + 99_999, "expired")).toEqual([]);
  });
});

type Move = "acquire" | "reenter" | "renew" | "release" | "force" | "vanish";

interface SimulatedChange {
  /** `undefined` if the hold expired, because scripts do not report expiry. */
  readonly event: ScriptEvent | undefined;
  /** The holder that a read returns after the change; `undefined` if the lock is free. */
  readonly present: HolderReading | undefined;
  readonly at: number;
}

/** Returns the changes that the moves make to one lock. Each change has a different time. */
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

const countEvents = (events: readonly NewEvent[], observed: NewEvent["observed"]) =>
  events.filter((event) => event.observed === observed).map(({ at }) => at);

describe("event derivation of one lock", () => {
  it("each script event is published once and in order, however often and late it is repeated", () => {
    const delays = fc.array(fc.option(fc.nat({ max: 6 }), { nil: undefined }), {
      minLength: 40,
      maxLength: 40,
    });
    fc.assert(
      fc.property(moves, delays, (played, repeatedAfter) => {
        const events = simulate(played).flatMap(({ event }) => event ?? []);
        const fixture = new InferenceFixture();
        events.forEach((event, index) => {
          fixture.receiveScriptEvent(event);
          for (let earlier = 0; earlier <= index; earlier++) {
            const again = events[earlier];
            if (again !== undefined && repeatedAfter[earlier] === index - earlier)
              fixture.receiveScriptEvent(again);
          }
        });
        expect(countEvents(fixture.events, "exact")).toEqual(events.map(({ at }) => at));
      }),
      { numRuns: 1000 },
    );
  });

  it("each expired hold emits one inferred end, and reads in between emit nothing else", () => {
    fc.assert(
      fc.property(moves, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (played, isLookedAt) => {
        const happenings = simulate(played);
        const fixture = new InferenceFixture();
        happenings.forEach(({ event, present, at }, index) => {
          if (event !== undefined) fixture.receiveScriptEvent(event);
          if (isLookedAt[index] || event === undefined) fixture.applyReading(present, at);
        });
        const vanished = happenings.filter(({ event }) => event === undefined);
        expect(countEvents(fixture.events, "inferred")).toEqual(vanished.map(({ at }) => at));
        expect(countEvents(fixture.events, "exact")).toEqual(
          happenings.flatMap(({ event }) => event?.at ?? []),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
