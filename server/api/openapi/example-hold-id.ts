import { formatHoldId } from "../../formats/hold-id.ts";

/** The lock that the examples use, and the fencing token of its hold. The values match `examples/locks.ts`. */
export const EXAMPLE_LOCK = {
  target: "default",
  key: "lock:orders:42",
  format: "redisson",
  kind: "lock",
  fence: "1795216496123456",
} as const;

/** The `holdId` for another lock, which was acquired in the same request as the example lock. */
export const OTHER_HOLD_ID = formatHoldId({
  ...EXAMPLE_LOCK,
  key: "lock:customers:7",
  fence: "1795216496123457",
  unit: undefined,
  token: "6f1b0d52-54b3-4a39-9d2e-0c7a1f3e8b64:2",
});

export const EXAMPLE_HOLD_ID = formatHoldId({
  ...EXAMPLE_LOCK,
  unit: undefined,
  token: "6f1b0d52-54b3-4a39-9d2e-0c7a1f3e8b64:1",
});
