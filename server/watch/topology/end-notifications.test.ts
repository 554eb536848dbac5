import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createForeignHolder, type Observation } from "../../formats/observation.ts";
import { inferEvents, type ReportedHold } from "../events/event-inference.ts";
import { ForceReleasedHolds } from "../events/force-released-holds.ts";
import { listCurrentHolders, toReportedHolds } from "../events/holder-state.ts";
import { updateHold } from "../holds/continuity.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { PendingNotifications } from "./pending-notifications.ts";

const KEY = "lock:a";
/**
 * Maximum time, in ms, by which a notification arrives after the reply to a later read. If that read takes longer, its
 * duration is the maximum.
 */
const OVERTAKING_MS = 5;

type Owner = "a" | "b";

interface Read {
  readonly sentAt: number;
  /** The state that the read returns. `undefined` until Redis has executed the read. */
  result?: { readonly owner: Owner | undefined; readonly notified: number };
}

/** A simulated key, and an observer that receives notifications and replies on two connections. */
class ObservedKey {
  #now = 1000;
  #owner: Owner | undefined;
  readonly #notifications: ("set" | "del")[] = [];
  #delivered = 0;
  #read: Read | undefined;
  /** Number of notifications that must have arrived by the time `at`, with one entry per reply. */
  #due: { readonly count: number; readonly at: number }[] = [];
  readonly #pending = new PendingNotifications();
  #hold: ObservedHold | undefined;
  #reported: readonly ReportedHold[] = [];
  #epochs = 0;
  readonly holds: Owner[] = [];
  readonly events: string[] = [];

  constructor() {
    vi.spyOn(performance, "now").mockImplementation(() => this.#now);
  }

  acquire(owner: Owner): void {
    if (this.#owner !== undefined) return;
    this.#owner = owner;
    this.holds.push(owner);
    this.#notifications.push("set");
  }

  release(): void {
    if (this.#owner === undefined) return;
    this.#owner = undefined;
    this.#notifications.push("del");
  }

  passMs(ms: number): void {
    const until = this.#now + ms;
    for (const { count, at } of this.#due.filter((due) => until > due.at).toSorted((a, b) => a.at - b.at)) {
      this.#now = Math.max(this.#now, at);
      while (this.#delivered < count) this.deliver();
    }
    this.#due = this.#due.filter((due) => until <= due.at);
    this.#now = until;
  }

  deliver(): void {
    const event = this.#notifications[this.#delivered];
    if (event === undefined) return;
    this.#delivered++;
    this.#pending.recordKeyChange(KEY, event);
  }

  send(): void {
    this.#read ??= { sentAt: this.#now };
  }

  execute(): void {
    if (this.#read !== undefined)
      this.#read.result ??= { owner: this.#owner, notified: this.#notifications.length };
  }

  reply(): void {
    const read = this.#read;
    if (read?.result === undefined) return;
    this.#read = undefined;
    this.#apply(read.sentAt, read.result.owner);
    const windowMs = Math.max(OVERTAKING_MS, this.#now - read.sentAt);
    this.#due.push({ count: read.result.notified, at: this.#now + windowMs });
  }

  /** Delivers all replies and notifications, and then reads the key again. */
  settle(): void {
    this.execute();
    this.reply();
    this.passMs(1000);
    while (this.#delivered < this.#notifications.length) this.deliver();
    for (let reads = 0; reads < 2; reads++) this.readAtOnce();
  }

  readAtOnce(): void {
    this.passMs(1);
    this.send();
    this.execute();
    this.passMs(1);
    this.reply();
    this.passMs(1);
  }

  #apply(sentAt: number, owner: Owner | undefined): void {
    const asOf = this.#now;
    const observation: Observation =
      owner === undefined
        ? { state: "free", key: KEY, asOf }
        : {
            ...({ state: "held", key: KEY, type: "hash", candidates: [], kind: "lock" } as const),
            ...({ asOf, format: "redisson", confidence: "certain", remainingMs: null } as const),
            holders: [createForeignHolder(owner)],
          };
    const {
      endCause,
      mayBeGone: _,
      ...notifications
    } = this.#pending.consume(observation, this.#hold, {
      sentAt,
      isMoving: false,
    });
    const context = { ...notifications, since: "exact", continuityId: "1" } as const;
    this.#hold =
      observation.state === "held"
        ? updateHold(this.#hold, observation, context, () => ++this.#epochs)
        : undefined;
    const current = listCurrentHolders({ hold: this.#hold, isInitialScan: false }, new ForceReleasedHolds());
    const { events } = inferEvents(this.#reported, current, asOf, endCause);
    this.#reported = this.#hold === undefined ? [] : toReportedHolds(this.#hold);
    this.events.push(...events.map((event) => `${event.type} ${event.owner}`));
  }
}

beforeEach(() => {
  vi.restoreAllMocks();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const STEPS = ["acquire a", "acquire b", "release", "deliver", "send", "execute", "reply", "pass"] as const;

function runStep(key: ObservedKey, step: (typeof STEPS)[number], ms: number): void {
  if (step === "acquire a") key.acquire("a");
  else if (step === "acquire b") key.acquire("b");
  else if (step === "pass") key.passMs(ms);
  else key[step]();
  key.passMs(1);
}

const countHolds = (owners: readonly string[], owner: Owner) => owners.filter((one) => one === owner).length;

describe("notifications and reads in any order", () => {
  it("no hold is reported that never was, and what is reported alternates between acquired and released", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.integer({ min: 1, max: 60 })), { maxLength: 60 }),
        (steps) => {
          const key = new ObservedKey();
          for (const [step, ms] of steps) runStep(key, step, ms);
          key.settle();
          const begun = key.events
            .filter((event) => event.startsWith("acquired"))
            .map((event) => event.slice(9));
          for (const owner of ["a", "b"] as const)
            expect(countHolds(begun, owner)).toBeLessThanOrEqual(countHolds(key.holds, owner));
          const types = key.events.map((event) => event.split(" ")[0]);
          expect(types).toEqual(types.map((_, at) => (at % 2 === 0 ? "acquired" : "released")));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("a read that was on its way when its hold was reported gone continues the hold", () => {
    const key = new ObservedKey();
    key.acquire("a");
    key.deliver();
    key.readAtOnce();
    key.passMs(100);
    key.send();
    key.execute();
    key.release();
    key.passMs(1);
    key.deliver();
    key.reply();
    key.settle();
    expect(key.events).toEqual(["acquired a", "released a"]);
  });

  it("the notification of the hold before does not end the hold that a read showed first", () => {
    const key = new ObservedKey();
    key.acquire("a");
    key.deliver();
    key.readAtOnce();
    key.passMs(100);
    key.send();
    key.release();
    key.acquire("b");
    key.execute();
    key.passMs(1);
    key.reply();
    key.deliver();
    key.settle();
    expect(key.events).toEqual(["acquired a", "released a", "acquired b"]);
  });

  it("the same owner that acquires again between two reads has another hold", () => {
    const key = new ObservedKey();
    key.acquire("a");
    key.deliver();
    key.readAtOnce();
    key.passMs(100);
    key.release();
    key.acquire("a");
    key.deliver();
    key.readAtOnce();
    key.settle();
    expect(key.events).toEqual(["acquired a", "released a", "acquired a"]);
  });
});
