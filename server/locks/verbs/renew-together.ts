import { isKeyRefusal } from "../../redis/failure.ts";
import type { RenewableHold, RenewalResult } from "./backend.ts";

/**
 * Renews holds with one call, or with one call for each hold if Redis refuses the call because of one of the keys.
 *
 * @param renew renews some of the holds, and returns their results in the same order
 * @throws the error of `renew`, unless the holds are renewed one by one: the result of a failed call is then
 * `undefined`
 */
export async function renewTogether(
  holds: readonly RenewableHold[],
  renew: (some: readonly RenewableHold[]) => Promise<RenewalResult[]>,
): Promise<RenewalResult[]> {
  try {
    return await renew(holds);
  } catch (error) {
    if (holds.length < 2 || !isKeyRefusal(error)) throw error;
    const alone = holds.map((hold) => renew([hold]).catch(() => []));
    return (await Promise.all(alone)).map(([result]) => result);
  }
}
