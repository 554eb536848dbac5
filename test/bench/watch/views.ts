import type { Redis } from "ioredis";
import type { Grant } from "../../../server/locks/verbs/contract/grant.ts";
import { openCore } from "../core/ours.ts";
import type { Run } from "../figure.ts";
import type { TabView } from "./tabs-messages.ts";

/** Tabs with the same view of the table, and a lock that is always visible in that view. */
interface TabGroup {
  /** Share of the tabs in percent. */
  readonly tabs: number;
  readonly query: string;
  readonly probe: string;
}

/**
 * Views of the locks that `changes.ts` acquires, and their probes. In Redis's order, `!` sorts before and `~` after the
 * names of all services.
 */
const TAB_GROUPS: readonly TabGroup[] = [
  { tabs: 50, query: "sort=key", probe: "lock:!ours:first" },
  { tabs: 10, query: "sort=-key", probe: "lock:~theirs:last" },
  { tabs: 10, query: "sort=-held", probe: "lock:middle:ours:oldest" },
  { tabs: 10, query: "filter=key:lock:orders:*", probe: "lock:orders:!theirs:first" },
  { tabs: 10, query: "filter=owner:checkout*&sort=-count", probe: "lock:middle:ours:counted" },
  { tabs: 10, query: "filter=payments&sort=-remaining", probe: "lock:payments:theirs:longest" },
];
const EVENTS_OF_ONE_IN = 10;
const LEASE_MS = 3_600_000;

export const PROBES: readonly string[] = TAB_GROUPS.map(({ probe }) => probe);

/** Returns the views for a number of tabs, distributed over the groups. The first view is the console's default. */
export function listViews(tabs: number): readonly TabView[] {
  const groups = TAB_GROUPS.flatMap((group) => Array<TabGroup>(group.tabs).fill(group));
  const step = groups.length / tabs;
  return Array.from({ length: tabs }, (_, at) => {
    const { query, probe } = groups[Math.floor(at * step)] ?? { query: "" };
    const events = at % EVENTS_OF_ONE_IN === EVENTS_OF_ONE_IN - 1 ? "&events=all" : "";
    return { query: `limit=100&${query}${events}`, ...(probe === undefined ? {} : { probe }) };
  });
}

/**
 * Acquires a lock, or re-enters it if called again.
 *
 * @returns the new count of the hold
 */
export type Enter = () => Promise<number>;

/**
 * Acquires the probes, which must happen before any other client acquires a lock. Half of them are acquired with
 * Lockkeeper's core and half in Redisson's format.
 */
export async function openProbes(
  run: Run,
  url: string,
  inspector: Redis,
): Promise<ReadonlyMap<string, Enter>> {
  const core = await openCore(url);
  run.defer(() => core.close());
  const ask = { owner: "checkout@pod-7:311", leaseMs: LEASE_MS };
  const ours = (probe: string) => {
    let hold: Grant | undefined;
    return async () => {
      const grant = await (hold === undefined
        ? core.locks.acquire(probe, ask).then((acquired) => acquired.grant)
        : core.locks.reenter(hold));
      hold = grant;
      return grant.count;
    };
  };
  const theirs = (probe: string) => async () =>
    await inspector.hincrby(probe, "5f0c0c1e-0000-4000-8000-000000000001:1", 1);
  const probes = new Map(
    PROBES.map((probe) => [probe, probe.includes("ours") ? ours(probe) : theirs(probe)]),
  );
  for (const [probe, enter] of probes) {
    await enter();
    await inspector.pexpire(probe, LEASE_MS);
  }
  return probes;
}
