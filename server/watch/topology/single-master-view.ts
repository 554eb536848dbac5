import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation, ReadableObservation } from "../../formats/observation.ts";
import { type FingerprintReading, readFingerprints } from "../../formats/registry/read-fingerprints.ts";
import { type FormatLookup, readKeys } from "../../formats/registry/read-keys.ts";
import { NeverSentError } from "../../redis/failure.ts";
import type { Master, Masters } from "../../redis/master.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import { computeRereadDelayMs } from "../holds/reread-delay.ts";
import type { LockIndex } from "../index/lock-index.ts";
import type { Reading } from "../scan/key-reader.ts";
import type { MasterWatch } from "./master-watch.ts";
import { PendingNotifications } from "./pending-notifications.ts";
import type { AppliedReading, TopologyView } from "./topology-view.ts";

/** Maximum number of redirections to follow. During a migration, two masters can redirect to each other. */
const REDIRECTIONS_MAX = 5;

/** The view of a target in which each key has exactly one master. */
export class SingleMasterView implements TopologyView {
  readonly #pendingNotifications = new PendingNotifications();
  readonly #fallbackClock = new RedisClock();

  constructor(
    private readonly masters: Masters,
    private readonly watches: ReadonlyMap<Master, MasterWatch>,
    private readonly index: LockIndex,
  ) {}

  get isUp(): boolean {
    return [...this.watches.values()].some(({ connection }) => connection.isUp);
  }

  get clock(): RedisClock {
    const all = [...this.watches.values()];
    return (all.find(({ connection }) => connection.isUp) ?? all[0])?.clock ?? this.#fallbackClock;
  }

  // Does nothing while no master is known for the key. A new master first reads all its known keys.
  enqueueRead(key: Key): void {
    this.#findWatch(key)?.enqueueRead(key);
  }

  async readAndApply(key: Key): Promise<Observation> {
    return await this.#readFollowingMoves(key, (watch) => watch.readNow(key));
  }

  async readWithRules(key: Key, rules: FormatLookup): Promise<Observation> {
    return await this.#readFollowingMoves(key, async ({ master: { reads } }) =>
      readKeys(await reads.waitUntilReady(), [key], rules, this.masters.routing),
    );
  }

  async confirmContinuity(key: Key): Promise<void> {
    await this.#getWatch(key).connection.confirmContinuity();
  }

  *listKnownKeys({ master, clock }: MasterWatch, unseenForMs?: number): Iterable<Key> {
    const isAlone = this.masters.list.length === 1;
    const seenBefore = unseenForMs === undefined ? Number.POSITIVE_INFINITY : clock.now() - unseenForMs;
    for (const key of this.index.keys()) {
      const isHere = isAlone || this.masters.findMaster(key) === master;
      if (isHere && (this.index.get(key)?.seen.asOf ?? 0) < seenBefore) yield key;
    }
  }

  async readKeys(
    keys: readonly Key[],
    { master }: MasterWatch,
    redis: Redis,
    rules: FormatRules,
  ): Promise<Observation[]> {
    const { routing } = this.masters;
    const observations = await readKeys(redis, keys, rules, routing);
    if (routing === undefined) return observations;
    // Drops the observations of keys whose slot migrated during the read, because a read on the new master may be more
    // recent.
    const here = observations.filter(({ key }) => this.masters.findMaster(key) === master);
    const found = new Set(here.map(({ key }) => key));
    for (const key of keys) if (!found.has(key)) this.enqueueRead(key);
    return here;
  }

  readFingerprints(keys: readonly Key[], redis: Redis): Promise<FingerprintReading[]> {
    return readFingerprints(redis, keys, this.masters.routing === undefined ? "together" : "apart");
  }

  findObservation(key: Key): ReadableObservation | undefined {
    return this.index.get(key)?.seen;
  }

  isKnown(key: Key): boolean {
    return this.index.get(key) !== undefined;
  }

  computeRereadDelayMs(key: Key): number | undefined {
    return computeRereadDelayMs(this.index.get(key));
  }

  onKeyChange(key: Key, event: string): void {
    this.#pendingNotifications.recordKeyChange(key, event);
    this.enqueueRead(key);
  }

  onScriptEvent(event: ScriptEvent, { master }: MasterWatch) {
    // A cluster forwards published messages to all its nodes, so only the message from the key's own master counts.
    if (this.masters.findMaster(event.key) !== master) return undefined;
    const endCause = this.#pendingNotifications.findEndCause(event.key);
    if (event.type === "acquired") this.#pendingNotifications.clearEndCause(event.key);
    this.#pendingNotifications.recordScriptEvent(event);
    return { event, endCause };
  }

  onBlindPeriod(keys: Iterable<Key>): void {
    this.#pendingNotifications.recordBlindPeriod(keys, (key) => this.isKnown(key));
  }

  evaluateReading(
    { observation, sentAt, wasUnreadable }: Reading,
    { connection, reconciliation, clock }: MasterWatch,
  ): AppliedReading {
    const { key } = observation;
    const isMoving = this.masters.routing?.isMoving(key) ?? false;
    const {
      endCause,
      mayBeGone: _,
      extendedAt,
      ...notifications
    } = this.#pendingNotifications.consume(observation, this.index.get(key), {
      sentAt,
      isMoving,
    });
    // If the key is unreadable, it is unknown whether and how the previous hold ended.
    const isUnreadable = observation.state === "unreadable";
    const since = connection.seesChanges && reconciliation.isCaughtUp ? "exact" : "at_least";
    return {
      observation,
      context: {
        isExtended: extendedAt !== undefined,
        since,
        continuityId: connection.continuityId,
        ...notifications,
      },
      endCause: isUnreadable ? "unreadable" : endCause,
      asOf: isUnreadable ? clock.now() : observation.asOf,
      sentAt,
      isInitialScan: reconciliation.isInitialScan,
      ...(wasUnreadable === undefined ? {} : { wasUnreadable }),
    };
  }

  onMasterStateChange(): void {
    // Keeps the state of a disconnected master until the master returns.
  }

  findVotes(): undefined {
    return undefined;
  }

  /** @throws NeverSentError if the key keeps moving between masters */
  async #readFollowingMoves(
    key: Key,
    read: (watch: MasterWatch) => Promise<Observation[]>,
  ): Promise<Observation> {
    for (let left = REDIRECTIONS_MAX; left > 0; left--) {
      const [observation] = await read(this.#getWatch(key));
      if (observation !== undefined) return observation;
    }
    throw new NeverSentError("The key is moving to another master");
  }

  /** @throws NeverSentError if no known master has the key */
  #getWatch(key: Key): MasterWatch {
    const watch = this.#findWatch(key);
    if (watch === undefined) throw new NeverSentError("No known master has the key");
    return watch;
  }

  #findWatch(key: Key): MasterWatch | undefined {
    const master = this.masters.findMaster(key);
    return master && this.watches.get(master);
  }
}
