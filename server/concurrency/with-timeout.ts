/**
 * Returns the reply if it arrives within `ms` milliseconds. A later reply is discarded.
 *
 * @throws Error on a timeout; the error from `reply` if `reply` rejects before the timeout
 */
export async function withTimeout<Reply>(ms: number, reply: Promise<Reply>): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not respond within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
    reply.catch(() => undefined);
  }
}
