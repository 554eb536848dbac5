import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { FreeAsk } from "../../formats/lock-format.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { knownFormat } from "../../formats/registry/lock-formats.ts";
import { read } from "../../formats/registry/read-keys.ts";
import type { ForceReleaseReply } from "../../formats/script-replies.ts";
import { COMMAND_TIMEOUT_MS } from "../../redis/connect.ts";
import { majorityOf, median } from "../../redis/majority.ts";
import type { ForceReply, FreedAt } from "../verbs/verbs.ts";
import { type Answer, type Answers, ask } from "./poll-masters.ts";
import type { Master } from "./quorum-master.ts";

/**
 * Frees a hold at all masters at once: at each the votes of this owner that are of this hold or an older one.
 *
 * `released` when fewer than a majority can still have it: what a master that was away has left ends with its lease, and
 * makes no hold any more. `changed` when a majority has something else by now.
 *
 * @throws LockkeeperError unavailable, unknown_outcome
 */
export async function freeEverywhere(
  masters: readonly Master[],
  seen: HeldObservation,
  freeAsk: FreeAsk,
): Promise<ForceReply> {
  const answers = await ask(masters, {
    by: "verbs",
    budgetMs: COMMAND_TIMEOUT_MS,
    call: (master) => freeAt(master, seen, freeAsk),
    // Who is slow has a vote, too, and nobody else is waiting for this.
    progress: () => "open",
  });
  const freed = masters.map(
    (master): FreedAt => ({
      name: nameOf(master),
      outcome: outcomeOf(answers.get(master)),
    }),
  );
  return replyOf(freed, answers);
}

/** As the health of the target names it. */
function nameOf({ verbs: { options } }: Master): string {
  return options.path ?? `${options.host}:${options.port}`;
}

type Freed = ForceReleaseReply | { readonly outcome: "other"; readonly asOf: number };

async function freeAt({ verbs, channel }: Master, seen: HeldObservation, freeAsk: FreeAsk): Promise<Freed> {
  const [there] = await read(verbs, [seen.key], { formatOf: () => seen.format });
  if (there === undefined || there.state === "unreadable") throw new Error(there?.why ?? "nothing was read");
  const { asOf } = there;
  if (there.state !== "held") return { outcome: there.state === "free" ? "gone" : "changed", asOf };
  if (!isOf(there, seen)) return { outcome: "changed", asOf };
  const frees = knownFormat(there.format, there.type)?.frees;
  if (frees === undefined) return { outcome: "changed", asOf };
  const { holder } = freeAsk;
  const one = holder && there.holders.find((each) => isSameOwner(each, holder));
  return await frees.free(verbs, channel, there, { ...freeAsk, holder: one });
}

/** Whether what a master has is of the hold that was seen, and not of a later one of the same owner. */
export function isOf(there: HeldObservation, seen: HeldObservation): boolean {
  const [{ fence }] = there.holders;
  const [{ fence: known }] = seen.holders;
  const isSame =
    there.holders.length === seen.holders.length &&
    there.holders.every((holder) => seen.holders.some((each) => isSameOwner(each, holder)));
  if (!isSame || fence === null) return isSame;
  // A master may have missed what the fence was agreed to be, and have a smaller one.
  return known !== null && BigInt(fence) <= BigInt(known);
}

const isSameOwner = (one: SeenHolder, other: SeenHolder) =>
  one.owner === other.owner && one.role === other.role;

function outcomeOf(answer: Answer<Freed> | undefined): FreedAt["outcome"] {
  if (answer === undefined || answer.state === "away") return "away";
  if (answer.state !== "answered") return "unknown";
  const { outcome } = answer.reply;
  if (outcome === "released") return "released";
  return outcome === "gone" ? "already_gone" : "changed";
}

function replyOf(masters: readonly FreedAt[], answers: Answers<Freed>): ForceReply {
  const majority = majorityOf(masters.length);
  const count = (...outcomes: FreedAt["outcome"][]) =>
    masters.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const open = count("away", "unknown");
  if (open >= majority) throw notKnown(masters, count("released", "unknown") === 0);
  const times = [...answers.values()].flatMap((answer) =>
    answer.state === "answered" && "asOf" in answer.reply ? [answer.reply.asOf] : [],
  );
  const asOf = times.length === 0 ? Date.now() : median(times);
  if (count("released") > 0) return { outcome: "released", asOf, masters };
  return { outcome: count("changed") >= majority ? "changed" : "gone", asOf };
}

function notKnown(masters: readonly FreedAt[], isUntouched: boolean) {
  const silent = masters.filter(({ outcome }) => outcome === "away" || outcome === "unknown");
  const who = silent.map(({ name }) => name).join(", ");
  if (isUntouched) {
    return new UnavailableError(
      `Of ${masters.length} masters ${silent.length} do not answer (${who}), so nothing could be decided. Nothing was released; try again.`,
    );
  }
  const freed = masters.filter(({ outcome }) => outcome === "released").length;
  return new UnknownOutcomeError(
    `${freed} of ${masters.length} masters let go of it, and ${silent.length} did not answer (${who}): a majority may still have it. Look at the lock, and ask again.`,
  );
}
