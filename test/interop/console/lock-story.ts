import type { FormatName } from "../../../lib/contract/format.ts";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import type { Waiters } from "../../../lib/contract/lock.ts";
import { expect } from "../figures.ts";
import type { Operator } from "./operator.ts";
import {
  type Dropped,
  expectShown,
  expectTold,
  expectVerdict,
  expectWoken,
  extend,
  giveBack,
  type Held,
  hold,
  LEASE_MS,
  type Party,
  type Shown,
  waitBehind,
} from "./story.ts";

export const POLLS: Waiters = { count: null, known: "unknowable" };
export const listens = (count: number): Waiters => ({ count, known: "estimated" });

/** One holds, another one of the same library waits, and an operator frees the lock. */
export interface LockStory {
  readonly key: string;
  readonly holder: Party;
  readonly waiter: Party;
  /** How often the holder takes it. */
  readonly entries?: number;
  /** undefined: what the library gives by itself, and prolongs. */
  readonly leaseMs?: number;
  readonly shown: Omit<Shown, "holders">;
  readonly verdict?: { readonly state: LivenessState; readonly withinMs: number };
  readonly waiters: Waiters;
  /** Whether the waiter sleeps by now, where Redis tells. */
  readonly isAsleep?: () => Promise<boolean>;
  /** The format that the operator names, where the shape does not tell. */
  readonly as?: FormatName;
  /** How the old owner is told when it prolongs its lease. */
  readonly extended?: Dropped;
  /** How the old owner is told when it gives the lock back. */
  readonly said: Dropped;
}

export interface Told {
  readonly key: string;
  readonly wokenMs: number;
  /** Of the one that was freed, and of the one that waited. */
  readonly held: readonly [Held, Held];
}

/** All take their locks at once, for a verdict needs time. @returns one a story */
export async function tellAll(operator: Operator, stories: readonly LockStory[]): Promise<Told[]> {
  const holds = new Map<LockStory, Held>();
  for (const story of stories) holds.set(story, await begin(story));
  for (const [{ key, shown, entries = 1 }, { owner, fence }] of holds) {
    const lock = await operator.lookUntil(key, ({ holders }) => holders[0]?.count === entries);
    expectShown(lock, {
      ...shown,
      holders: [owner === undefined ? { count: entries } : { owner, count: entries }],
    });
    if (fence !== undefined) expect(`the last fence of ${key}`, lock.lastFence, fence);
    await operator.expectListed(lock);
  }
  for (const { key, verdict } of stories) {
    if (verdict !== undefined) await expectVerdict(operator, key, verdict.state, verdict.withinMs);
  }
  const told: Told[] = [];
  for (const [story, held] of holds) told.push(await tell(operator, story, held));
  return told;
}

async function begin({ key, holder, entries = 1, leaseMs }: LockStory): Promise<Held> {
  let held = await hold(holder, key, 0, leaseMs);
  for (let entry = 1; entry < entries; entry++) held = await hold(holder, key, 0, leaseMs);
  return held;
}

async function tell(operator: Operator, story: LockStory, first: Held): Promise<Told> {
  const { key, holder, waiter, leaseMs, waiters, isAsleep, as, extended, said } = story;
  const behind = await waitBehind(operator, waiter, key, { waiters, leaseMs, isAsleep });
  const { version, holders } = await operator.look(key);
  const owner = holders[0]?.owner ?? "";
  const freed = await operator.free(key, version, as);
  expect(`whose hold of ${key} was freed`, freed.owner, first.owner ?? owner);
  const wokenMs = await expectWoken(behind.held, freed, key);
  const second = await behind.held;
  const next = await operator.lookUntil(
    key,
    (lock) => lock.holders[0]?.owner !== owner && lock.state === "held",
  );
  if (extended !== undefined) {
    expect(`the old owner of ${key} prolongs its lease`, await extend(holder, key), extended);
  }
  await expectTold(operator, holder, key, { said, next: second.owner ?? next.holders[0]?.owner });
  await operator.expectToldOnce(key, owner);
  await giveBack(waiter, key);
  expect(`the state of ${key} in the end`, (await operator.look(key)).state, "free");
  return { key, wokenMs, held: [first, second] };
}

/** Nobody waits: what the old owner is told when the lock is gone. */
export async function freeAlone(
  operator: Operator,
  holder: Party,
  key: string,
  said: Dropped,
): Promise<void> {
  const { owner = "" } = await hold(holder, key, 0, LEASE_MS);
  const { version } = await operator.lookUntil(key, ({ state }) => state === "held");
  await operator.free(key, version);
  await expectTold(operator, holder, key, { said, next: undefined });
  await operator.expectToldOnce(key, owner);
}

const SHORT_MS = 12_000;

/** A lease that nobody prolongs is known as such before it ends. */
export async function expectFixedLease(operator: Operator, holder: Party, key: string): Promise<void> {
  await hold(holder, key, 0, SHORT_MS);
  await expectVerdict(operator, key, "fixed-lease", SHORT_MS);
}
