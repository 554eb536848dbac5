import { BlockList, isIP } from "node:net";
import { StartupError } from "../errors/startup-error.ts";
import { normalizeAddress } from "./client-address.ts";

/** The proxies whose forwarding headers are trusted. Forwarding headers from other addresses are ignored. */
export class TrustedProxies {
  readonly #networks = new BlockList();
  readonly #isEmpty: boolean;

  /**
   * @param networks IP addresses, or networks in CIDR notation such as 10.0.0.0/8
   * @throws StartupError that names the first invalid entry
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
   * Returns the address of the client: the last address that is not a trusted proxy in the chain that consists of the
   * entries of `forwardedFor`, followed by `peer`. Earlier addresses are ignored, because the client can send any
   * value. If all addresses are trusted proxies, returns the first address. If the search reaches an entry that is not
   * an IP address, returns the address after that entry.
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
        `LOCKKEEPER_TRUSTED_PROXIES has the invalid entry ${JSON.stringify(network)}. Use addresses and networks, such as 127.0.0.1,10.0.0.0/8.`,
      );
    }
    this.#networks.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
  }
}
