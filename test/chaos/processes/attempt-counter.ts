import { AsyncLocalStorage } from "node:async_hooks";

/** Counts the attempts of one call whose outcome is unknown. */
interface CallAttempts {
  readonly verb: string;
  unanswered: number;
}

const calls = new AsyncLocalStorage<CallAttempts>();

/**
 * A `fetch` that counts the requests of the surrounding `countAttempts` without an answer. It also reads the response,
 * so that an incomplete one counts as well.
 */
export const fetchAndCount: typeof fetch = async (input, init) => {
  const verb = String(input)
    .split(/[/?]/)
    .findLast((part) => /^[a-z]+$/.test(part));
  const call = calls.getStore();
  // A background renewal runs in the context of the call that acquired the hold.
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

/** Runs a call of the API. @returns its result, and the number of attempts if the first answers were lost */
export async function countAttempts<Result>(
  verb: "acquire" | "release",
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly asked: number }> {
  const call: CallAttempts = { verb, unanswered: 0 };
  const result = await calls.run(call, run);
  return { result, asked: call.unanswered + 1 };
}
