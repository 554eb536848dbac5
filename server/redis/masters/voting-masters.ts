import type { Key } from "../../../lib/keys/key.ts";
import { StartupError } from "../../errors/startup-error.ts";
import { parseRedisAddress, type RedisAddress } from "../connect.ts";
import type { Master, Masters } from "../master.ts";
import { SingleMaster } from "./single-master.ts";

/** Independent masters, which do not know of each other. */
export class VotingMasters implements Masters {
  readonly isQuorum = true;
  readonly db: number;
  readonly list: readonly SingleMaster[];

  /** @throws StartupError as `votingAddressesOf` */
  constructor(urls: readonly string[]) {
    const addresses = parseVotingAddresses(urls);
    this.db = addresses[0]?.db ?? 0;
    this.list = addresses.map((address) => new SingleMaster(address));
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

/** @throws StartupError when a URL cannot be read, one is named twice, or they name different databases */
export function parseVotingAddresses(urls: readonly string[]): RedisAddress[] {
  const addresses = urls.map((url) => parseRedisAddress(url));
  const labels = addresses.map(({ label }) => label);
  const twice = labels.find((label, at) => labels.indexOf(label) < at);
  if (twice !== undefined) {
    throw new StartupError(`A quorum counts each master once, and ${twice} is named twice.`);
  }
  const [db, other] = new Set(addresses.map((address) => address.db));
  if (other === undefined) return addresses;
  throw new StartupError(
    `The masters of a quorum keep its locks in one and the same database; ${db} and ${other} were named.`,
  );
}
