import type { Key } from "../../../lib/keys/key.ts";
import type { AcquireRequest } from "../../formats/lock-writer.ts";
import type { Name, Standing } from "./master-request.ts";

/**
 * Votes for a hold that are still to come, or of which it is not known yet that they agree with it. A hold may be
 * released before the slowest master has even read that it was asked for: such a vote would be nobody's, and the
 * release does not find it.
 */
export class OpenVotes {
  readonly #names = new Map<Standing, Name>();
  /** Called when none is open any more. */
  onClosed: () => void = () => undefined;

  get size(): number {
    return this.#names.size;
  }

  open(standing: Standing, name: Name): void {
    this.#names.set(standing, name);
  }

  has(standing: Standing): boolean {
    return this.#names.has(standing);
  }

  /** Either it agrees, or there is none, or it is taken back; unless all were taken back before. */
  close(standing: Standing, ending: "agrees" | "none" | "take_back"): void {
    const name = this.#names.get(standing);
    if (name === undefined) return;
    this.#names.delete(standing);
    if (ending === "take_back") void standing.takeBack(name);
    if (this.#names.size === 0) this.onClosed();
  }

  /** What they are for is over. */
  takeAllBack(): void {
    for (const standing of [...this.#names.keys()]) this.close(standing, "take_back");
  }
}

type Holder = Pick<AcquireRequest, "owner" | "principal">;

/** The open votes of all holds of this process. */
export class OpenVotesOfHolds {
  readonly #byHold = new Map<string, Set<OpenVotes>>();

  add(key: Key, by: Holder, votes: OpenVotes): void {
    if (votes.size === 0) return;
    const name = nameOf(key, by);
    const all = this.#byHold.get(name) ?? new Set();
    this.#byHold.set(name, all.add(votes));
    votes.onClosed = () => {
      all.delete(votes);
      if (all.size === 0 && this.#byHold.get(name) === all) this.#byHold.delete(name);
    };
  }

  takeBack(key: Key, by: Holder): void {
    for (const votes of [...(this.#byHold.get(nameOf(key, by)) ?? [])]) votes.takeAllBack();
  }
}

function nameOf(key: Key, { owner, principal = "" }: Holder): string {
  return `${principal}\n${owner}\n${key}`;
}
