import { createHash } from "node:crypto";
import { DETAILS_BYTES_MAX } from "./audit.ts";

/** The digests and numbers beside both lists need less. */
const RESERVED_BYTES = 1024;

/**
 * Describes the replacement of a list for the audit. What is new always comes whole. What was there before is left out
 * where both do not fit: its hash is that of what the entry of the change before has as new.
 */
export function describeReplacement(
  before: readonly unknown[],
  after: readonly unknown[],
): Record<string, unknown> {
  const [beforeJson, afterJson] = [JSON.stringify(before), JSON.stringify(after)];
  const bytes = Buffer.byteLength(beforeJson) + Buffer.byteLength(afterJson);
  return {
    after,
    afterCount: after.length,
    afterSha256: hashSha256(afterJson),
    beforeCount: before.length,
    beforeSha256: hashSha256(beforeJson),
    ...(bytes <= DETAILS_BYTES_MAX - RESERVED_BYTES ? { before } : {}),
  };
}

function hashSha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
