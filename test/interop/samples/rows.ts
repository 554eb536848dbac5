import { setTimeout as sleep } from "node:timers/promises";
import type { SampleCopy } from "./copy.ts";
import type { FaultyProxy } from "./faulty-proxy.ts";
import type { Work } from "./sample-runner.ts";

export const LEASE_MS = 3000;
const LONG_MS = 10_000;
const SHORT_MS = 4000;
/** Time between the first line of the log and the event. */
const AFTER_MS = 1500;

/** The event for the first copy, and how that copy ends. */
export interface Row {
  readonly name: string;
  readonly works: readonly Work[];
  readonly workMs: number;
  readonly end: "complete" | "throw" | "exit3";
  /** Exit status of the first copy. */
  readonly status: number;
  /** Whether the first copy releases the lock, instead of losing it or leaving it until the lease ends. */
  readonly releases: boolean;
  /** Whether the row tests what the resource rejects, instead of mutual exclusion in time. */
  readonly isFenced?: boolean;
  /** Runs before the first copy is started. */
  arrange?(proxy: FaultyProxy): void;
  /** Runs after the first copy has written its first line, while the second waits. */
  act?(event: RowEvent): Promise<void>;
}

export interface RowEvent {
  readonly first: SampleCopy;
  readonly proxy: FaultyProxy;
  /** Force-releases the lock, and reserves it for `reservedMs` if given. */
  forceRelease(reservedMs?: number): Promise<void>;
}

const BOTH: readonly Work[] = ["steps", "child"];
/** For rows that do not depend on the kind of work. */
const CHILD: readonly Work[] = ["child"];
const LOST = { workMs: LONG_MS, end: "complete", status: 76, releases: false, works: BOTH } as const;
const DONE = { workMs: SHORT_MS, end: "complete", status: 0, releases: true, works: BOTH } as const;

export const ROWS: readonly Row[] = [
  {
    ...LOST,
    name: "sigterm",
    status: 143,
    releases: true,
    act: async ({ first }) => first.signal("SIGTERM"),
  },
  {
    ...LOST,
    name: "sigint",
    works: CHILD,
    status: 130,
    releases: true,
    act: async ({ first }) => first.signal("SIGINT"),
  },
  { ...LOST, name: "sigkill", status: 137, act: async ({ first }) => first.signal("SIGKILL") },
  {
    ...LOST,
    name: "sigstop",
    async act({ first }) {
      first.signal("SIGSTOP");
      await sleep(2 * LEASE_MS);
      first.signal("SIGCONT");
    },
  },
  {
    ...DONE,
    name: "renew_502",
    workMs: LONG_MS,
    async act({ proxy }) {
      failOnce(proxy, "renew", "bad_gateway");
    },
  },
  {
    ...DONE,
    name: "acquire_502",
    works: CHILD,
    arrange: (proxy) => failOnce(proxy, "acquire", "lose_response"),
  },
  {
    ...DONE,
    name: "release_502",
    works: CHILD,
    arrange: (proxy) => failOnce(proxy, "release", "bad_gateway"),
  },
  {
    ...LOST,
    name: "renew_hangs",
    async act({ proxy }) {
      proxy.getFault = () => "hang";
    },
  },
  {
    ...LOST,
    name: "renew_always_502",
    works: CHILD,
    async act({ proxy }) {
      proxy.getFault = () => "bad_gateway";
    },
  },
  { ...DONE, name: "throws", end: "throw", status: 1 },
  { ...DONE, name: "exits_3", end: "exit3", status: 3 },
  { ...LOST, name: "force_release_reserved", act: ({ forceRelease }) => forceRelease(LEASE_MS) },
  {
    ...LOST,
    name: "force_release_fenced",
    works: CHILD,
    isFenced: true,
    // It does not learn of its loss, and works until its deadline.
    async act({ proxy, forceRelease }) {
      proxy.getFault = () => "bad_gateway";
      await forceRelease();
    },
  },
];

/** Waits until the first copy is in the middle of its work. */
export const waitForMiddle = () => sleep(AFTER_MS);

function failOnce(proxy: FaultyProxy, verb: string, fault: "bad_gateway" | "lose_response"): void {
  let isDone = false;
  proxy.getFault = (asked) => {
    if (isDone || asked !== verb) return "none";
    isDone = true;
    return fault;
  };
}
