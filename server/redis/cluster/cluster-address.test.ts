import { describe, expect, it } from "vitest";
import { StartupError } from "../../errors/startup-error.ts";
import { toClusterAddress } from "./cluster-address.ts";

describe("cluster addresses", () => {
  it("every cluster node gets the credentials of the first URL and database 0", () => {
    const { seeds, getNodeAddress } = toClusterAddress({
      cluster: ["redis://mei:secret@10.0.0.1:7000", "redis://10.0.0.2:7001"],
    });
    expect(seeds).toEqual(["10.0.0.1:7000", "10.0.0.2:7001"]);
    expect(getNodeAddress("10.0.0.9:7009")).toEqual({
      options: { host: "10.0.0.9", port: 7009, db: 0, username: "mei", password: "secret" },
      label: "10.0.0.9:7009",
      db: 0,
    });
  });

  it("a node behind NAT is reached at its mapped address", () => {
    const natMap = { "172.17.0.2:7000": "127.0.0.1:17000" };
    const { getNodeAddress } = toClusterAddress({ cluster: ["redis://127.0.0.1:17000"], natMap });
    expect(getNodeAddress("172.17.0.2:7000").options).toMatchObject({ host: "127.0.0.1", port: 17_000 });
    expect(getNodeAddress("172.17.0.3:7000").options).toMatchObject({ host: "172.17.0.3", port: 7000 });
  });

  it("a node's TLS server name is its own host name, or that of the first URL for an IP address", () => {
    const { getNodeAddress } = toClusterAddress({ cluster: ["rediss://redis.example:7000"] });
    expect(getNodeAddress("node-2.example:7001").options.tls).toEqual({ servername: "node-2.example" });
    expect(getNodeAddress("10.0.0.2:7001").options.tls).toEqual({ servername: "redis.example" });
  });

  it("an IPv6 node address without brackets is parsed", () => {
    const { getNodeAddress } = toClusterAddress({ cluster: ["redis://[::1]:7000"] });
    expect(getNodeAddress("fe80::2:7001").options).toMatchObject({ host: "fe80::2", port: 7001 });
  });

  it.each([
    [[], "one of its nodes"],
    [["redis://10.0.0.1:7000/2"], "database 0"],
    [["unix:///run/redis.sock"], "over TCP"],
    [["10.0.0.1:7000"], "redis://"],
  ])("the cluster URLs %j are rejected", (cluster, why) => {
    expect(() => toClusterAddress({ cluster })).toThrow(StartupError);
    expect(() => toClusterAddress({ cluster })).toThrow(why);
  });
});
