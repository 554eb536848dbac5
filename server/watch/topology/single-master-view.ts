import type { Key } from "../../../lib/keys/key.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation } from "../../formats/observation.ts";
import { read } from "../../formats/registry/read-keys.ts";
import { NeverSentError } from "../../redis/failure.ts";
import type { Master, Masters } from "../../redis/master.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import type { OwnEvent } from "../connection/script-event.ts";
import { dueMsOf } from "../holds/reread-delay.ts";
import type { Mirror } from "../index/lock-index.ts";
import type { Look } from "../scan/key-reader.ts";
import type { MasterWatch } from "./master-watch.ts";
import { Heard } from "./pending-notifications.ts";
import type { Sources, Taken } from "./topology-view.ts";

/** Two masters that have not heard of a move yet send us back and forth. */
const REDIRECTIONS_MAX = 5;

/** Each key has one master, whose word of it is all there is. */
export class Homes implements Sources {
  readonly #heard = new Heard();
  readonly #noClock = new RedisClock();

  constructor(
    private readonly masters: Masters,
    private readonly watches: ReadonlyMap<Master, MasterWatch>,
    private readonly mirror: Mirror,
  ) {}

  get isUp(): boolean {
    return [...this.watches.values()].some(({ link }) => link.isUp);
  }

  get clock(): RedisClock {
    const all = [...this.watches.values()];
    return (all.find(({ link }) => link.isUp) ?? all[0])?.clock ?? this.#noClock;
  }

  // While nobody has the key, whoever takes it over begins by reading what is known.
  mark(key: Key): void {
    this.#find(key)?.mark(key);
  }

  async look(key: Key): Promise<Observation> {
    return await this.#following(key, (watch) => watch.look([key]));
  }

  async read(key: Key, rules: Pick<FormatRules, "formatOf">): Promise<Observation> {
    return await this.#following(key, ({ master }) => read(master.redis, [key], rules, this.masters.spread));
  }

  async confirm(key: Key): Promise<void> {
    await this.#at(key).link.confirm();
  }

  *known({ master, clock }: MasterWatch, unseenForMs?: number): Iterable<Key> {
    const isAlone = this.masters.list.length === 1;
    const seenBefore = unseenForMs === undefined ? Number.POSITIVE_INFINITY : clock.now() - unseenForMs;
    for (const key of this.mirror.keys()) {
      const isHere = isAlone || this.masters.of(key) === master;
      if (isHere && (this.mirror.get(key)?.seen.asOf ?? 0) < seenBefore) yield key;
    }
  }

  isKnown(key: Key): boolean {
    return this.mirror.get(key) !== undefined;
  }

  dueMsOf(key: Key): number | undefined {
    return dueMsOf(this.mirror.get(key));
  }

  changed(key: Key, event: string): void {
    this.#heard.change(key, event);
    this.mark(key);
  }

  said(event: OwnEvent, { master }: MasterWatch) {
    // On a cluster every master passes on what one was told.
    if (this.masters.of(event.key) !== master) return undefined;
    const hint = this.#heard.hintOf(event.key);
    if (event.type === "acquired") this.#heard.begun(event.key);
    this.#heard.word(event);
    return { event, hint };
  }

  blind(keys: Iterable<Key>): void {
    this.#heard.blind(keys);
  }

  take({ observation, sentAt }: Look, { link, passes, clock }: MasterWatch): Taken {
    const { key } = observation;
    const isMoving = this.masters.spread?.isMoving(key) ?? false;
    const { hint, ...heard } = this.#heard.takenBy(observation, this.mirror.get(key), { sentAt, isMoving });
    const since = link.seesChanges && passes.isCaughtUp ? "exact" : "at_least";
    return {
      observation,
      circumstances: { ...heard, since, sight: link.sight },
      hint,
      asOf: observation.state === "unreadable" ? clock.now() : observation.asOf,
      sentAt,
      isFirstLook: passes.isFirst,
    };
  }

  stirred(): void {
    // What a master that went has shown stays as it is, until it is back.
  }

  votesOf(): undefined {
    return undefined;
  }

  /** @throws NeverSentError when the key goes from master to master */
  async #following(key: Key, look: (watch: MasterWatch) => Promise<Observation[]>): Promise<Observation> {
    for (let left = REDIRECTIONS_MAX; left > 0; left--) {
      const [observation] = await look(this.#at(key));
      if (observation !== undefined) return observation;
    }
    throw new NeverSentError("The key is on its way to another master");
  }

  /** @throws NeverSentError while nobody has the key */
  #at(key: Key): MasterWatch {
    const watch = this.#find(key);
    if (watch === undefined) throw new NeverSentError("No master is known to have the key");
    return watch;
  }

  #find(key: Key): MasterWatch | undefined {
    const master = this.masters.of(key);
    return master && this.watches.get(master);
  }
}
