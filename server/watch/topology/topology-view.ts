import type { Key } from "../../../lib/keys/key.ts";
import type { Observation, SeenVotes } from "../../formats/observation.ts";
import type { FormatLookup } from "../../formats/registry/read-keys.ts";
import type { RedisClock } from "../connection/redis-clock.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-inference.ts";
import type { ObservationContext } from "../holds/holder-matcher.ts";
import type { Reading } from "../scan/key-reader.ts";
import type { MasterView, MasterWatch } from "./master-watch.ts";

/** The result of evaluating a reading: the observation to apply to the index, and details for the resulting events. */
export interface AppliedReading {
  readonly observation: Observation;
  readonly context: ObservationContext;
  /** Why the previous hold may have ended. `undefined` if there is no evidence. */
  readonly endCause: EndCause;
  /** The `force_released` event of a hold on a quorum, if this reading confirms that an operator ended the hold. */
  readonly scriptEvent?: ScriptEvent | undefined;
  /** Time of the observation on the target's clock, in Unix ms. */
  readonly asOf: number;
  readonly sentAt: number;
  readonly isInitialScan: boolean;
  /** Set if the previous read of the key failed. The start of a hold is then unknown. */
  readonly wasUnreadable?: true;
  /** Whether the deadline is later because of an operator's extension that has already been reported. */
  readonly isSameExtension?: boolean;
}

/** Combines the observations and notifications of a target's masters into one state. */
export interface TopologyView extends MasterView {
  /** Whether enough masters respond for the state to be current: at least one, or a majority for a quorum. */
  readonly isUp: boolean;
  /** Number of masters of a quorum that must agree. `undefined` if the target is not a quorum. */
  readonly majority?: number;
  /** The clock of a responding master or, on a quorum, Lockkeeper's own clock. Each master also has its own clock. */
  readonly clock: RedisClock;
  /** Enqueues a read of the key on each master that has it. */
  enqueueRead(key: Key): void;
  /**
   * Reads the key immediately, bypassing the queue. Resolves when the index contains the result.
   *
   * @throws if Redis is unreachable
   */
  readAndApply(key: Key): Promise<Observation>;
  /** Reads the key with the given rules without changing the index. @throws if Redis is unreachable */
  readWithRules(key: Key, rules: FormatLookup): Promise<Observation>;
  /** Waits until all notifications that Redis has sent for the key have arrived. @throws if Redis is unreachable */
  confirmContinuity(key: Key): Promise<void>;
  /** Processes the notification `event` for a key on one master. */
  onKeyChange(key: Key, event: string, at: MasterWatch): void;
  /**
   * Processes a script event that a master published. Returns the event if it can be reported immediately, otherwise
   * `undefined`.
   */
  onScriptEvent(
    event: ScriptEvent,
    at: MasterWatch,
  ): { readonly event: ScriptEvent; readonly endCause: EndCause } | undefined;
  /** Evaluates a reading from one master. @returns the result to apply, or `undefined` if there is none yet */
  evaluateReading(reading: Reading, at: MasterWatch): AppliedReading | undefined;
  /** Called when the state of a master changes. */
  onMasterStateChange(): void;
  /**
   * Returns the votes of the quorum's masters on a key. Returns `undefined` if no votes are stored or the target is not
   * a quorum.
   */
  findVotes(key: Key): SeenVotes | undefined;
  /** Returns whether the masters of a quorum have votes on the key but have not decided its state yet. */
  isUndecided?(key: Key): boolean;
}
