/**
 * Returns the reply if it arrives within `ms` milliseconds. A later reply is discarded. A reply that arrived in time
 * while this process was busy is returned.
 *
 * @throws Error on a timeout; the error from `reply` if `reply` rejects before the timeout
 */
export async function withTimeout<Reply>(ms: number, reply: Promise<Reply>): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Timers run before sockets are read, so a reply in the socket is processed before the rejection.
    const expire = () => reject(new Error(`Redis did not respond within ${ms} ms`));
    timer = setTimeout(() => setImmediate(expire), ms);
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
    reply.catch(() => undefined);
  }
}
