import { formatHoldId, parseHoldId, type TargetHoldRef } from "../../server/formats/hold-id.ts";

const NEVER_HELD: TargetHoldRef = {
  target: "default",
  key: "lock:never-held",
  format: "redisson",
  unit: undefined,
  token: "1f2e3d4c-0000-4000-8000-000000000000:1",
  fence: "1700000000000000",
};

/** Creates the `holdId` of a hold that was never acquired. */
export function createHoldId(hold: Partial<TargetHoldRef> = {}): string {
  return formatHoldId({ ...NEVER_HELD, ...hold });
}

/** Decodes a `holdId`. @throws if the string is not a `holdId` */
export function readHoldId(holdId: string): TargetHoldRef {
  const hold = parseHoldId(holdId);
  if (hold === undefined) throw new Error(`This is no holdId: ${holdId}`);
  return hold;
}

/** Replaces some of the values that a `holdId` encodes. */
export function changeHoldId(holdId: string, changed: Partial<TargetHoldRef>): string {
  return formatHoldId({ ...readHoldId(holdId), ...changed });
}
