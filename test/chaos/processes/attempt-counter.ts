import { AsyncLocalStorage } from "node:async_hooks";

/** The number of attempts of one call whose outcome is unknown. */
interface CallAttempts {
  readonly verb: string;
  unanswered: number;
}

const calls = new AsyncLocalStorage<CallAttempts>();

/**
 * A `fetch` that counts requests without a reply for the surrounding `countAttempts`. Reads the whole response, so that
 * an incomplete response also counts as no reply.
 */
export const fetchAndCount: typeof fetch = async (input, init) => {
  const verb = String(input)
    .split(/[/?]/)
    .findLast((part) => /^[a-z]+$/.test(part));
  const call = calls.getStore();
  // Background renewals run in the async context of the call that acquired the hold, so the verb must match.
  const isCounted = call !== undefined && call.verb === verb;
  try {
    const response = await fetch(input, init);
    const text = await response.text();
    if (isCounted && response.status >= 500 && !text.includes('"code":"unavailable"')) call.unanswered++;
    return new Response(text, { status: response.status, headers: response.headers });
  } catch (error) {
    if (isCounted) call.unanswered++;
    throw error;
  }
};

/**
 * Runs an API call and counts its attempts.
 *
 * @returns the result of the call, and one more than the number of attempts without a reply
 */
export async function countAttempts<Result>(
  verb: "acquire" | "release",
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly asked: number }> {
  const call: CallAttempts = { verb, unanswered: 0 };
  const result = await calls.run(call, run);
  return { result, asked: call.unanswered + 1 };
}
