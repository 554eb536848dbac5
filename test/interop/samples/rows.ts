import { setTimeout as sleep } from "node:timers/promises";
import type { SampleCopy } from "./copy.ts";
import type { FaultyProxy } from "./faulty-proxy.ts";
import type { Work } from "./sample-runner.ts";

export const LEASE_MS = 3000;
const LONG_MS = 10_000;
const SHORT_MS = 4000;
/** Time in ms between the first line of the log and the event. */
const AFTER_MS = 1500;

/** A row of the kill matrix: an event that affects the first copy, and the expected end of that copy. */
export interface Row {
  readonly name: string;
  readonly works: readonly Work[];
  readonly workMs: number;
  readonly end: "complete" | "throw" | "exit3";
  /** Expected exit status of the first copy. */
  readonly status: number;
  /** Whether the first copy must release the lock. Otherwise, it loses the lock or leaves it until the lease ends. */
  readonly releases: boolean;
  /** Whether the resource rejects late writes by their fencing token. Otherwise, the copy must stop writing in time. */
  readonly isFenced?: boolean;
  /** Called before the first copy is started. */
  arrange?(proxy: FaultyProxy): void;
  /** Called after the first copy has written its first line, while the second copy waits for the lock. */
  act?(event: RowEvent): Promise<void>;
}

export interface RowEvent {
  readonly first: SampleCopy;
  readonly proxy: FaultyProxy;
  /** Force-releases the lock. If `reservedMs` is given, reserves the lock for that time. */
  forceRelease(reservedMs?: number): Promise<void>;
}

const BOTH: readonly Work[] = ["steps", "child"];
/** The kind of work of rows that do not depend on it. */
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
    // Renewals fail, so the copy does not learn of the force-release and works until its deadline.
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
