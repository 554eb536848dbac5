import { REFUSAL_TEXTS, type RefusalReason } from "../../lib/contract/refusal.ts";
import { UnavailableError } from "./redis-errors.ts";

const REPLY_CHARACTERS_MAX = 300;

/**
 * Creates the error for a command that Redis refused. The message contains the cause and the remedy.
 *
 * @param outcome a sentence that states the effect on the request
 */
export function createRefusedError(
  reason: RefusalReason,
  outcome: string,
  options?: ErrorOptions,
): UnavailableError {
  const { cause, remedy } = REFUSAL_TEXTS[reason];
  const reply = options?.cause instanceof Error ? options.cause.message.slice(0, REPLY_CHARACTERS_MAX) : "";
  // The message quotes the reply, because only the reply names the command or key that the user may not use.
  const why = reply.startsWith("NOPERM") ? `The Redis user lacks a right (${reply})` : cause;
  return new UnavailableError(`${why}. ${outcome} ${remedy}; then retry.`, options, { reason });
}
