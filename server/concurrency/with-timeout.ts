/** The reply, if it comes in time. @throws an error that says it did not; the reply itself is let go of */
export async function withTimeout<Reply>(ms: number, reply: Promise<Reply>): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
    reply.catch(() => undefined);
  }
}
