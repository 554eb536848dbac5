/**
 * Starts a CPU timer. The returned function returns the CPU time that the process has used since the timer was started,
 * in ms. The result is never more than the elapsed time.
 */
export function startCpuTimer(): () => number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    // The CPU time of a process includes all its threads and can exceed the elapsed time, so the result is capped.
    return Math.min(performance.now() - startedAt, (user + system) / 1000);
  };
}
