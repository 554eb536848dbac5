import { describe, expect, it } from "vitest";
import { TrustedProxies } from "./trusted-proxies.ts";

describe("who asks", () => {
  const proxies = new TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]);

  it.each([
    ["nobody is trusted but who is named", "192.0.2.7", "203.0.113.9", "192.0.2.7"],
    ["a proxy tells of its client", "127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["also over a socket of both versions", "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
    ["a chain of proxies does", "10.1.2.3", "203.0.113.9, 10.9.9.9, fd00::1", "203.0.113.9"],
    [
      "what the client has written itself does not count",
      "10.1.2.3",
      "127.0.0.1, 198.51.100.4",
      "198.51.100.4",
    ],
    ["what is no address ends the chain", "10.1.2.3", "203.0.113.9, evil, 10.9.9.9", "10.9.9.9"],
    ["an empty header says nothing", "10.1.2.3", "", "10.1.2.3"],
    ["where all are proxies, the first of them asks", "10.1.2.3", "10.0.0.1,10.0.0.2", "10.0.0.1"],
  ])("%s", (_what, peer, forwarded, client) => {
    expect(proxies.clientOf(peer, forwarded)).toBe(client);
  });

  it("by default nobody is trusted", () => {
    expect(new TrustedProxies([]).clientOf("127.0.0.1", "203.0.113.9")).toBe("127.0.0.1");
  });
});

it.each(["localhost", "10.0.0.0/33", "10.0.0/8", "::1/129", "1.2.3.4/5/6", "1.2.3.4/", "1.2.3.4/x"])(
  "%s is no network",
  (network) => {
    expect(() => new TrustedProxies([network])).toThrow(/LOCKKEEPER_TRUSTED_PROXIES/);
  },
);
