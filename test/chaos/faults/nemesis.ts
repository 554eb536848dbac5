import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "../history/journal.ts";
import { getFault } from "./catalog.ts";
import type { ChaosEnvironment, PlannedFault } from "./fault.ts";

/** Injects the faults of a schedule and heals each fault after its duration. Resolves when all faults are healed. */
export async function injectFaults(
  schedule: readonly PlannedFault[],
  stage: ChaosEnvironment,
  journal: Journal,
): Promise<void> {
  const startedAt = performance.now();
  await Promise.all(
    schedule.map(async (planned) => {
      await sleep(planned.atMs - (performance.now() - startedAt));
      await injectFault(planned, stage, journal);
    }),
  );
}

async function injectFault(planned: PlannedFault, stage: ChaosEnvironment, journal: Journal): Promise<void> {
  const fault = getFault(planned.fault);
  const what = { op: "fault", fault: fault.name, target: `${fault.on} ${planned.target + 1}` } as const;
  const { forMs, stepMs } = planned;
  journal.write({ ...what, type: "invoke", forMs, ...(stepMs === 0 ? {} : { stepMs }) });
  try {
    await fault.begin(stage, planned);
    if (stepMs !== 0) journal.write({ ...what, type: "info", code: "begun" });
    if (forMs > 0) await sleep(forMs);
  } finally {
    if (stepMs !== 0) journal.write({ ...what, type: "info", code: "ends" });
    await fault.end(stage, planned);
    journal.write({ ...what, type: "ok" });
  }
}
