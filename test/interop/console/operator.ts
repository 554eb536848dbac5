import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ForceReleased } from "../../../lib/contract/actions/force-release.ts";
import type { History, LockEvent } from "../../../lib/contract/event.ts";
import type { FormatName } from "../../../lib/contract/format.ts";
import { isGap } from "../../../lib/contract/gap.ts";
import type { LockList } from "../../../lib/contract/list.ts";
import type { Lock } from "../../../lib/contract/lock.ts";
import { encodeKeyPath } from "../../../lib/keys/key.ts";
import { type ApiReply, startTestServer, type TestServer } from "../../support/test-server.ts";
import { assert, expect } from "../figures.ts";

export const REASON = "to see what its holder makes of it";
const BY = "key:root";
const SHOWN_MS = 10_000;

/** An operator who calls the API of a Lockkeeper server that has its own Redis. */
export class Operator {
  constructor(readonly server: TestServer) {}

  /**
   * Starts a server and returns an operator for it.
   *
   * @param formats format rules as in `LOCKKEEPER_FORMATS`
   */
  static async open(formats = ""): Promise<Operator> {
    const environment = { LOCKKEEPER_WATCH: "*", LOCKKEEPER_FORMATS: formats };
    return new Operator(await startTestServer({ environment }));
  }

  async readLock(key: string): Promise<Lock> {
    return getBody(await this.server.call(`/locks/${encodeKeyPath(key)}`));
  }

  /**
   * Reads a lock repeatedly until `shown` accepts it.
   *
   * @throws if `shown` does not accept the lock in time. The message contains the lock
   */
  async waitForLock(key: string, shown: (lock: Lock) => boolean, withinMs = SHOWN_MS): Promise<Lock> {
    const until = performance.now() + withinMs;
    for (;;) {
      const lock = await this.readLock(key);
      if (shown(lock)) return lock;
      assert(performance.now() < until, () => `${key} is shown as ${JSON.stringify(lock)}, not: ${shown}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Checks that the list shows the lock as a read of the lock does. */
  async expectListed({ key, format, kind, confidence, holders }: Lock): Promise<void> {
    const list = getBody<LockList>(await this.server.call(`/locks?filter=key:${encodeURIComponent(key)}`));
    const [item, ...others] = list.items;
    const parts = (lock: Lock | undefined) =>
      lock && [
        lock.format,
        lock.kind,
        lock.confidence,
        lock.holders.map(({ owner, count }) => [owner, count]),
      ];
    const wanted = [format, kind, confidence, holders.map(({ owner, count }) => [owner, count])];
    const isListed = others.length === 0 && isDeepStrictEqual(parts(item), wanted);
    assert(isListed, () => `${key} is listed as ${JSON.stringify(list.items)}`);
  }

  /** Force-releases a hold. `format` is required if the value does not determine the format of the lock. */
  async forceRelease(
    key: string,
    version: string | null,
    format?: FormatName,
    reservedMs?: number,
  ): Promise<ForceReleased> {
    const body = { expectedVersion: version, reason: REASON, format, reservedMs };
    const reply = await this.server.call(`/locks/${encodeKeyPath(key)}/force-release`, { body });
    const freed = getBody<ForceReleased>(reply);
    expect(`the force-release of ${key}`, [freed.outcome, freed.by], ["released", BY]);
    return freed;
  }

  /**
   * Checks that the history contains one force-release of the owner's hold with the operator and the reason, and that
   * the lock was not recreated.
   */
  async expectEventOnce(key: string, owner: string): Promise<void> {
    let events = await this.#readEvents(key);
    const endsOf = () => events.filter((event) => event.owner === owner && event.type === "force_released");
    // The event is recorded shortly after the release, so the history is read repeatedly.
    for (let asked = 0; endsOf().length === 0 && asked < 100; asked++) {
      await sleep(20);
      events = await this.#readEvents(key);
    }
    const ends = endsOf();
    const ended = ends.map(({ by, reason, observed }) => [by, reason, observed]);
    expect(`what the history tells of the end of ${owner}`, ended, [[BY, REASON, "exact"]]);
    const again = events.filter(({ type }) => type === "recreated");
    expect(`holds of ${key} that were made again`, again, []);
  }

  async #readEvents(key: string): Promise<LockEvent[]> {
    const { items } = getBody<History>(await this.server.call(`/locks/${encodeKeyPath(key)}/history`));
    return items.filter((entry) => !isGap(entry));
  }
}

function getBody<Body>({ status, body }: ApiReply): Body {
  assert(status === 200, () => `the API answers ${status}: ${JSON.stringify(body)}`);
  return body;
}
