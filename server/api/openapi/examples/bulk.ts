import type { BulkLine } from "../../../../lib/contract/actions/bulk-release.ts";
import { FORCE_RELEASED } from "./locks.ts";

export const BULK_RELEASED_LINE: BulkLine = {
  type: "item",
  index: 0,
  item: { key: FORCE_RELEASED.key, expectedVersion: "fence.1795216496123456" },
  outcome: "released",
  result: FORCE_RELEASED,
};
