import type { Key } from "../../../lib/keys/key.ts";
import type { Commands } from "../../redis/commands.ts";
import { buildFairKeys } from "../keys.ts";
import { type AcquireRequest, FAIR_WAIT_MS, type ReleaseRequest } from "../lock-requests.ts";
import { formatShardedFlag, type KindPart, LockWriter } from "../lock-writer.ts";

/** Runs the verbs on fair locks. The scripts for fair locks also read and write Redisson's queue. */
export class FairWriter extends LockWriter {
  /** @param scripts as for `LockWriter` */
  constructor(scripts: URL = new URL("../", import.meta.url)) {
    super("redisson", "fair", scripts);
  }

  protected override buildAcquirePart(redis: Commands, key: Key, ask: AcquireRequest): KindPart {
    const { token, waiterId = token, fairWaitMs = FAIR_WAIT_MS } = ask;
    const request = ["", waiterId, fairWaitMs, this.buildWakeChannel(key), formatShardedFlag(redis)];
    return { keys: buildFairKeys(key), arguments: request };
  }

  protected override buildReleasePart(key: Key, { fairWaitMs = FAIR_WAIT_MS }: ReleaseRequest): KindPart {
    return { keys: buildFairKeys(key), arguments: [fairWaitMs] };
  }
}
