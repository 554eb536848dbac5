import type { Redis } from "ioredis";
import type { Grant } from "../../../server/locks/verbs/contract/grant.ts";
import { openCore } from "../core/ours.ts";
import type { Run } from "../figure.ts";
import type { TabView } from "./tabs-messages.ts";

/** A view of the table, and a lock that is always on its screen. */
interface TabGroup {
  /** Share of the tabs in percent. */
  readonly tabs: number;
  readonly query: string;
  readonly probe: string;
}

/**
 * Views of services whose locks `changes.ts` acquires. In Redis's order, `!` precedes all their names and `~` follows
 * them.
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

/** Lists views for a number of tabs. The first one is the console's own first page. */
export function listViews(tabs: number): readonly TabView[] {
  const looks = TAB_GROUPS.flatMap((look) => Array<TabGroup>(look.tabs).fill(look));
  const step = looks.length / tabs;
  return Array.from({ length: tabs }, (_, at) => {
    const { query, probe } = looks[Math.floor(at * step)] ?? { query: "" };
    const events = at % EVENTS_OF_ONE_IN === EVENTS_OF_ONE_IN - 1 ? "&events=all" : "";
    return { query: `limit=100&${query}${events}`, ...(probe === undefined ? {} : { probe }) };
  });
}

/** Acquires a lock, and re-enters it with each further call. @returns its new count */
export type Enter = () => Promise<number>;

/**
 * Acquires the probes before any other client acquires a lock: half with Lockkeeper's core, half in the form of
 * Redisson.
 */
export async function openProbes(run: Run, url: string, look: Redis): Promise<ReadonlyMap<string, Enter>> {
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
    await look.hincrby(probe, "5f0c0c1e-0000-4000-8000-000000000001:1", 1);
  const probes = new Map(
    PROBES.map((probe) => [probe, probe.includes("ours") ? ours(probe) : theirs(probe)]),
  );
  for (const [probe, enter] of probes) {
    await enter();
    await look.pexpire(probe, LEASE_MS);
  }
  return probes;
}
