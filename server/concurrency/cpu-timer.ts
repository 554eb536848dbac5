/** Starts to measure processor time. The function that is returned reads it in milliseconds. */
export function startCpuTimer(): () => number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    // Other threads count as well, so it can be more than the time that has passed. On a busy machine it is less.
    return Math.min(performance.now() - startedAt, (user + system) / 1000);
  };
}
