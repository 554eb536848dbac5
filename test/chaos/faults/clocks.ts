import type { Topology } from "../servers/topology.ts";
import type { Fault, PlannedFault } from "./fault.ts";

const RIGHT_WITHIN_MS = 50;

type Target = Pick<PlannedFault, "target">;

/**
 * Sets the wall clock of a server.
 *
 * @throws Error if the server does not report the new time, because the run would prove nothing
 */
async function setClock(
  topology: Topology,
  { target, stepMs }: Target & Pick<PlannedFault, "stepMs">,
): Promise<void> {
  topology.getClock(target).set(stepMs);
  const askedAt = Date.now();
  const [seconds = "0", microseconds = "0"] = (await topology.getConnection(target).time()).map(String);
  const shown = Number(seconds) * 1000 + Number(microseconds) / 1000 - stepMs;
  if (shown > askedAt - RIGHT_WITHIN_MS && shown < Date.now() + RIGHT_WITHIN_MS) return;
  throw new Error(
    `the clock of server ${target + 1} was set ${stepMs} ms ahead, and shows ${shown - askedAt} ms more`,
  );
}

const restoreClock = (topology: Topology, { target }: Target) => setClock(topology, { target, stepMs: 0 });

const onServer = { on: "server", lasts: "a_while" } as const;

/** Faults that set the wall clock of a server. Timers in Redis that use the monotonic clock are not affected. */
export const CLOCK_FAULTS: readonly Fault[] = [
  {
    ...onServer,
    name: "server-clock-step",
    loses: "leases",
    steps: "either_way",
    begin: ({ topology }, planned) => setClock(topology, planned),
    end: ({ topology }, planned) => restoreClock(topology, planned),
  },
  {
    // A new fence is larger than the last fence that the server remembers and than its clock. This fault removes both
    // lower bounds.
    ...onServer,
    name: "lose-data-and-set-clock-back",
    loses: "fences",
    steps: "back",
    asked: "by_name",
    async begin({ topology }, planned) {
      await setClock(topology, planned);
      await topology.getConnection(planned.target).flushall();
    },
    end: ({ topology }, planned) => restoreClock(topology, planned),
  },
];
