import { setImmediate } from "node:timers/promises";

/** Returns the CPU time of this process in ms, so that measurements do not depend on other processes. */
const getCpuMs = () => process.cpuUsage().user / 1000;

/** Measures the CPU time of the longest turn of the event loop and the total CPU time of a task. */
export async function measureStalls(
  start: () => Promise<unknown>,
): Promise<{ longestMs: number; totalMs: number }> {
  const startedAt = getCpuMs();
  let isOver = false;
  const ended = start().finally(() => {
    isOver = true;
  });
  let longestMs = getCpuMs() - startedAt;
  while (!isOver) {
    const turnAt = getCpuMs();
    await setImmediate();
    longestMs = Math.max(longestMs, getCpuMs() - turnAt);
  }
  await ended;
  return { longestMs, totalMs: getCpuMs() - startedAt };
}
