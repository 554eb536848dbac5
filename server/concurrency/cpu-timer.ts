/** Returns a function that reads the CPU time used since this call, in milliseconds. */
export function startCpuTimer(): () => number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    // CPU time includes other threads, so it can exceed the elapsed time. On a busy machine, it is less.
    return Math.min(performance.now() - startedAt, (user + system) / 1000);
  };
}
