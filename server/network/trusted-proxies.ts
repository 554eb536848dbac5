import { BlockList, isIP } from "node:net";
import { StartupError } from "../errors/startup-error.ts";
import { normalizeAddress } from "./client-address.ts";

/** The proxies in front of us. What a request says of its client counts only if one of them has passed it on. */
export class TrustedProxies {
  readonly #networks = new BlockList();
  readonly #isEmpty: boolean;

  /**
   * @param networks addresses, and networks as 10.0.0.0/8
   * @throws StartupError naming what is neither
   */
  constructor(networks: readonly string[]) {
    this.#isEmpty = networks.length === 0;
    for (const network of networks) this.#addNetwork(network);
  }

  isTrusted(address: string | undefined): boolean {
    if (this.#isEmpty || address === undefined) return false;
    const plain = normalizeAddress(address);
    const version = isIP(plain);
    return version !== 0 && this.#networks.check(plain, version === 4 ? "ipv4" : "ipv6");
  }

  /**
   * Who asks: of the peer and those that it names, the last who is no proxy of ours. What stands before, the client has
   * written itself.
   */
  resolveClientAddress(peer: string | undefined, forwardedFor: string | undefined): string | undefined {
    let client = peer;
    for (const named of (forwardedFor ?? "").split(",").reverse()) {
      if (!this.isTrusted(client)) return client;
      const address = normalizeAddress(named.trim());
      if (isIP(address) === 0) return client;
      client = address;
    }
    return client;
  }

  #addNetwork(network: string): void {
    const [address = "", bits, ...more] = network.split("/");
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (version === 0 || more.length > 0 || !(length <= most)) {
      throw new StartupError(
        `LOCKKEEPER_TRUSTED_PROXIES has ${JSON.stringify(network)}; it takes addresses and networks, as in 127.0.0.1,10.0.0.0/8.`,
      );
    }
    this.#networks.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
  }
}
