import type { Key } from "../../../lib/keys/key.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import { type Agreement, isBehind, type Vote } from "./agreement.ts";
import { type MasterResult, pollMasters } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";

export interface ConfirmationOptions {
  readonly majority: number;
  readonly budgetMs: number;
  /** Called when a master replies after the poll has ended. `agrees`: whether it has stored the agreed values. */
  readonly onLate?: (master: QuorumMaster, agrees: boolean) => void;
}

/**
 * Writes the agreed fencing token and count to the voting masters that have a different fencing token or a smaller
 * count. Return the hold to the caller only after a majority has stored both values.
 *
 * @returns the votes of the masters that have stored both values, once these votes are a majority or can no longer
 * become one
 */
export async function confirmAgreement(
  key: Key,
  agreement: Agreement,
  { majority, budgetMs, onLate }: ConfirmationOptions,
): Promise<Vote[]> {
  const behind = new Map(
    agreement.voters.filter((vote) => isBehind(vote, agreement)).map((vote) => [vote.master, vote]),
  );
  const upToDate = agreement.voters.filter(({ master }) => !behind.has(master));
  const needed = majority - upToDate.length;
  const results = await pollMasters([...behind.keys()], {
    by: "verbs",
    budgetMs,
    call: async (master) => {
      const vote = behind.get(master);
      return vote !== undefined && (await writeAgreement(key, vote, agreement));
    },
    progress: (soFar) => {
      const confirmed = [...soFar.values()].filter(isConfirmed).length;
      return confirmed >= needed || confirmed + behind.size - soFar.size < needed ? "decided" : "open";
    },
    onLate: (master, result) => onLate?.(master, isConfirmed(result)),
  });
  const confirmed = [...behind.values()].filter(({ master }) => isConfirmed(results.get(master)));
  return [...upToDate, ...confirmed];
}

/**
 * Writes the agreed fencing token and count to the master of a vote. Returns false if the hold of that vote has ended
 * on the master.
 */
export function writeAgreement(
  key: Key,
  { master, reply }: Vote,
  { token, fence, count }: Agreement,
): Promise<boolean> {
  return LOCK_WRITERS.token.agree(master.verbs, key, { token, from: reply.fence, fence, count });
}

const isConfirmed = (result: MasterResult<boolean> | undefined) =>
  result?.state === "answered" && result.reply;
