import { createHash } from "node:crypto";
import { DETAILS_BYTES_MAX } from "./audit.ts";

/** Number of bytes that are reserved for the hashes and counts. */
const RESERVED_BYTES = 1024;

/**
 * Builds the audit log's description of a change that replaces a list. Always includes the complete new list. Omits the
 * previous list if both lists together are too long. The audit entry for the previous change then contains the omitted
 * list, and its `afterSha256` equals the `beforeSha256` of this change.
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
