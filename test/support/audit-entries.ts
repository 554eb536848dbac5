import type { Redis } from "ioredis";
import type { AuditEntry } from "../../lib/contract/audit.ts";

export const AUDIT_STREAM = "{lockkeeper}:audit";

/** Reads the stored audit entries, oldest first. */
export async function readAuditEntries(home: Redis): Promise<AuditEntry[]> {
  const found = await home.xrange(AUDIT_STREAM, "-", "+");
  return found.map(([, fields]) => JSON.parse(fields[fields.indexOf("entry") + 1] ?? ""));
}
