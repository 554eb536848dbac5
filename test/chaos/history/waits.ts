import type { AnalyzedHistory, Span } from "./analyzed-history.ts";
import type { Entry, HoldKind } from "./entry.ts";

/** An acquire with a wait time, or a wait for a latch. */
export interface Wait extends Span {
  readonly process: string;
  readonly call: number;
  readonly token: string;
  readonly lock: string;
  readonly kind: HoldKind;
  readonly permits: number;
  /** Maximum wait time in milliseconds. */
  readonly waitMs: number;
  /** `ok` or an error code. `undefined` if the process of the call was killed. */
  readonly ending: string | undefined;
  readonly entries: readonly Entry[];
}

/** Lists the waits of one kind of call. A wait without a reply lasts until the last entry of its process. */
export function listWaits({ entries }: AnalyzedHistory, op: "acquire" | "await"): Wait[] {
  const open = new Map<string, Entry>();
  const seen = new Map<string, number>();
  const waits: Wait[] = [];
  for (const entry of entries) {
    seen.set(entry.process, entry.t);
    if (entry.op !== op) continue;
    const name = `${entry.process}#${entry.call}`;
    const begun = open.get(name);
    if (entry.type === "invoke" && (entry.waitMs ?? 0) > 0) open.set(name, entry);
    else if (begun !== undefined) {
      open.delete(name);
      waits.push(toWait(begun, entry, entry.t));
    }
  }
  for (const begun of open.values()) waits.push(toWait(begun, undefined, seen.get(begun.process) ?? begun.t));
  return waits;
}

function toWait(begun: Entry, answer: Entry | undefined, to: number): Wait {
  const { process, call = 0, lock = "", kind = "lock", permits = 1, waitMs = 0 } = begun;
  return {
    ...{ process, call, lock, kind, permits, waitMs, from: begun.t, to },
    token: answer?.token ?? begun.token ?? "",
    ending: answer?.type === "ok" ? "ok" : answer?.code,
    entries: answer === undefined ? [begun] : [begun, answer],
  };
}
