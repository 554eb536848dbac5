import type { Key } from "../../../lib/keys/key.ts";
import { StartupError } from "../../errors/startup-error.ts";
import { parseRedisAddress, type RedisAddress } from "../connect.ts";
import type { Master, Masters, MasterUse } from "../master.ts";
import { SingleMaster } from "./single-master.ts";

/** The independent masters of a quorum. */
export class VotingMasters implements Masters {
  readonly isQuorum = true;
  readonly db: number;
  readonly list: readonly SingleMaster[];

  /** @throws StartupError in the same cases as `parseVotingAddresses` */
  constructor(urls: readonly string[], use: MasterUse) {
    const addresses = parseVotingAddresses(urls);
    this.db = addresses[0]?.db ?? 0;
    this.list = addresses.map((address) => new SingleMaster(address, use));
  }

  findMaster(_key: Key): Master | undefined {
    return this.list[0];
  }

  onChange(): () => void {
    return () => undefined;
  }

  close(): void {
    for (const master of this.list) master.close();
  }
}

/** Parses the URLs of a quorum. @throws StartupError if a URL is invalid or listed twice, or the databases differ */
export function parseVotingAddresses(urls: readonly string[]): RedisAddress[] {
  const addresses = urls.map((url) => parseRedisAddress(url));
  const labels = addresses.map(({ label }) => label);
  const twice = labels.find((label, at) => labels.indexOf(label) < at);
  if (twice !== undefined) {
    throw new StartupError(`A quorum counts each master once, but ${twice} is listed twice.`);
  }
  const [db, other] = new Set(addresses.map((address) => address.db));
  if (other === undefined) return addresses;
  throw new StartupError(
    `All masters of a quorum must use the same database; ${db} and ${other} were given.`,
  );
}
