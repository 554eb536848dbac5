/**
 * The id of an event, which has the format of a Redis stream id: `<ms>-<seq>`. Ids increase in the order of recording.
 */
export interface EventId {
  readonly ms: number;
  readonly seq: number;
}

export function parseEventId(text: string): EventId | undefined {
  const [, ms, seq] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return ms === undefined || seq === undefined ? undefined : { ms: Number(ms), seq: Number(seq) };
}

/**
 * Compares two ids. The result is negative if `a` is before `b`, 0 if they are equal, and positive if `a` is after `b`.
 *
 * @throws if an id is invalid. Check untrusted ids with `parseEventId` first
 */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  const [first, second] = [parseEventId(a), parseEventId(b)];
  if (first === undefined || second === undefined) throw new Error("not the id of an event");
  return first.ms - second.ms || first.seq - second.seq;
}
