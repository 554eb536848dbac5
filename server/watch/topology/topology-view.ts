import type { Key } from "../../../lib/keys/key.ts";
import type { Observation, SeenVotes } from "../../formats/observation.ts";
import type { FormatLookup } from "../../formats/registry/read-keys.ts";
import type { RedisClock } from "../connection/redis-clock.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-derivation.ts";
import type { ObservationContext } from "../holds/continuity.ts";
import type { Reading } from "../scan/key-reader.ts";
import type { MasterView, MasterWatch } from "./master-watch.ts";

/** What a look comes to: what is taken into the picture, and what is told. */
export interface AppliedReading {
  readonly observation: Observation;
  readonly context: ObservationContext;
  /** How the hold before it ended, when Redis said so. */
  readonly endCause: EndCause;
  /** An ending that a script told of and looking has now confirmed. */
  readonly scriptEvent?: ScriptEvent | undefined;
  /** By the clock that the target is told by. */
  readonly asOf: number;
  readonly sentAt: number;
  readonly isInitialScan: boolean;
}

/** How what is seen and heard at the masters of a target makes one picture. */
export interface TopologyView extends MasterView {
  /** Whether the picture can be right at all. */
  readonly isUp: boolean;
  /** Of a quorum: how many masters have to agree. */
  readonly majority?: number;
  /** The clock that the target as a whole is told by: each master has its own. */
  readonly clock: RedisClock;
  /** Has the key read soon, wherever it may be. */
  enqueueRead(key: Key): void;
  /** Looks now, past the queue; what is seen has been taken in when this resolves. @throws when Redis is away */
  readAndApply(key: Key): Promise<Observation>;
  /** Looks now by other rules; nothing is taken in. @throws when Redis is away */
  readWithRules(key: Key, rules: FormatLookup): Promise<Observation>;
  /** Makes sure that nothing we should have heard of the key is still on its way. @throws when Redis is away */
  confirmContinuity(key: Key): Promise<void>;
  /** Redis said that something happened to the key. */
  onKeyChange(key: Key, event: string, at: MasterWatch): void;
  /** What one of our scripts said; gives what is told of it right away. */
  onScriptEvent(
    event: ScriptEvent,
    at: MasterWatch,
  ): { readonly event: ScriptEvent; readonly endCause: EndCause } | undefined;
  /** undefined: nothing can be concluded from it alone, or not yet. */
  evaluateReading(reading: Reading, at: MasterWatch): AppliedReading | undefined;
  /** Called when a master is in another state than before. */
  onMasterStateChange(): void;
  /** How a quorum votes on a key that nobody holds. */
  findVotes(key: Key): SeenVotes | undefined;
}
