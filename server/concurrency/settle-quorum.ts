/** Time in ms to wait for the remaining masters after a majority has succeeded. */
const STRAGGLER_GRACE_MS = 50;

/**
 * Resolves with the number of fulfilled requests once all requests have settled, or 50 ms after `enough` requests have
 * been fulfilled.
 */
export function settleQuorum(requests: readonly Promise<unknown>[], enough: number): Promise<number> {
  return new Promise((resolve) => {
    let fulfilled = 0;
    let left = requests.length;
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      resolve(fulfilled);
    };
    const one = (isFulfilled: boolean) => {
      left--;
      if (isFulfilled) fulfilled++;
      if (left === 0) end();
      else if (fulfilled >= enough) timer ??= setTimeout(end, STRAGGLER_GRACE_MS);
    };
    if (left === 0) end();
    for (const each of requests) {
      each.then(
        () => one(true),
        () => one(false),
      );
    }
  });
}
