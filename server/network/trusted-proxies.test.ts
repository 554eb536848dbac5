import { describe, expect, it } from "vitest";
import { TrustedProxies } from "./trusted-proxies.ts";

describe("client address", () => {
  const proxies = new TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]);

  it.each([
    ["a peer that is not a trusted proxy is the client", "192.0.2.7", "203.0.113.9", "192.0.2.7"],
    ["the address from a trusted proxy is the client", "127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["an IPv4-mapped IPv6 peer is matched as IPv4", "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
    [
      "a chain of trusted proxies is followed to the client",
      "10.1.2.3",
      "203.0.113.9, 10.9.9.9, fd00::1",
      "203.0.113.9",
    ],
    [
      "addresses that the client sent itself are ignored",
      "10.1.2.3",
      "127.0.0.1, 198.51.100.4",
      "198.51.100.4",
    ],
    ["an invalid address ends the chain of proxies", "10.1.2.3", "203.0.113.9, evil, 10.9.9.9", "10.9.9.9"],
    ["an empty header leaves the peer as the client", "10.1.2.3", "", "10.1.2.3"],
    [
      "the first address is the client if all are trusted proxies",
      "10.1.2.3",
      "10.0.0.1,10.0.0.2",
      "10.0.0.1",
    ],
  ])("%s", (_what, peer, forwarded, client) => {
    expect(proxies.resolveClientAddress(peer, forwarded)).toBe(client);
  });

  it("no proxy is trusted by default", () => {
    expect(new TrustedProxies([]).resolveClientAddress("127.0.0.1", "203.0.113.9")).toBe("127.0.0.1");
  });
});

it.each(["localhost", "10.0.0.0/33", "10.0.0/8", "::1/129", "1.2.3.4/5/6", "1.2.3.4/", "1.2.3.4/x"])(
  "%s is rejected as a network",
  (network) => {
    expect(() => new TrustedProxies([network])).toThrow(/LOCKKEEPER_TRUSTED_PROXIES/);
  },
);
