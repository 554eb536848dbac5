/** Masters that are well answer within the same moment as a majority of them. */
const STRAGGLER_GRACE_MS = 50;

/** Resolves with how many have answered: when all have or failed, or a little after enough of them have. */
export function settleQuorum(requests: readonly Promise<unknown>[], enough: number): Promise<number> {
  return new Promise((resolve) => {
    let answered = 0;
    let left = requests.length;
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      resolve(answered);
    };
    const one = (isAnswer: boolean) => {
      left--;
      if (isAnswer) answered++;
      if (left === 0) end();
      else if (answered >= enough) timer ??= setTimeout(end, STRAGGLER_GRACE_MS);
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
