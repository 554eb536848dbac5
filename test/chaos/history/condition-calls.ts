import type { AnalyzedHistory, Span } from "./analyzed-history.ts";
import { groupBy } from "./claims.ts";
import type { Entry } from "./entry.ts";
import { getProcessSlot } from "./process-slot.ts";

/**
 * A wait for a condition. The holds of a lock follow one another in the order of their fences. A client was therefore
 * waiting when a signal was sent if the fence of the signalling hold is between the fences of the holds that the client
 * gave up and resumed.
 */
export interface ConditionWait extends Span {
  readonly process: string;
  readonly token: string;
  /** Fence of the hold that was given up. */
  readonly fence: number;
  /** Fence of the resumed hold. Infinity if no hold was resumed. */
  readonly resumedFence: number;
  readonly waitMs: number;
  /** `other`: the client was killed, cancelled its wait, or lost its hold. */
  readonly ending: "signalled" | "timed_out" | "other";
  readonly entries: readonly Entry[];
}

export interface Signal extends Span {
  readonly fence: number;
  /** Number of waiters that the signal woke. `undefined` if the reply is unknown. */
  readonly count: number | undefined;
  readonly entries: readonly Entry[];
}

/** The calls on one condition of one lock, without refused calls. */
export interface ConditionCalls {
  readonly name: string;
  readonly waits: readonly ConditionWait[];
  readonly signals: readonly Signal[];
}

export function listConditions(history: AnalyzedHistory): ConditionCalls[] {
  const entries = history.entries.filter(({ condition }) => condition !== undefined);
  const conditions = groupBy(entries, ({ lock, condition }) => `${condition} of ${lock}`);
  const seen = new Map<string, number>();
  for (const { process, t } of history.entries) seen.set(process, t);
  return [...conditions].map(([name, own]) => {
    const calls = [...groupBy(own, ({ process, call }) => `${process}#${call}`).values()];
    const done = calls.filter((call) => !call.some(({ type }) => type === "fail"));
    const resumed = new Map(
      done.flatMap(([first, answer]) =>
        first?.op === "resume" && answer?.type === "ok" ? [[formatCall(first, 0), answer] as const] : [],
      ),
    );
    return {
      name,
      waits: done.flatMap(([first, answer]) =>
        first?.op === "give_up"
          ? [toWait(first, answer, resumed.get(formatCall(first, 1)), getEnd(first, seen, history))]
          : [],
      ),
      signals: done.flatMap(([first, answer]) =>
        first?.op === "signal" ? [toSignal(first, answer, getEnd(first, seen, history))] : [],
      ),
    };
  });
}

const formatCall = ({ process, call = 0 }: Entry, later: number) => `${process}#${call + later}`;

function toWait(
  asked: Entry,
  answer: Entry | undefined,
  resumed: Entry | undefined,
  end: number,
): ConditionWait {
  const { process, token = "", fence, waitMs = 0, t } = asked;
  const isDone = answer?.type === "ok" && resumed !== undefined;
  return {
    ...{ process, token, waitMs, fence: Number(fence), from: t, to: answer?.t ?? end },
    resumedFence: isDone ? Number(resumed.fence) : Number.POSITIVE_INFINITY,
    ending: isDone ? (answer.code === "signalled" ? "signalled" : "timed_out") : "other",
    entries: [asked, answer, resumed].filter((entry) => entry !== undefined),
  };
}

function toSignal(asked: Entry, answer: Entry | undefined, end: number): Signal {
  return {
    ...{ fence: Number(asked.fence), from: asked.t, to: answer?.t ?? end },
    count: answer?.type === "ok" ? answer.count : undefined,
    entries: answer === undefined ? [asked] : [asked, answer],
  };
}

/** Returns the end of a call without a reply: when its process was killed or wrote its last entry. */
function getEnd(
  { process, t }: Entry,
  seen: ReadonlyMap<string, number>,
  { faults }: AnalyzedHistory,
): number {
  const slot = getProcessSlot(process);
  const kill = faults.find(({ fault, target, to }) => fault === "kill-worker" && target === slot && to >= t);
  return Math.max(seen.get(process) ?? t, kill?.from ?? t);
}
