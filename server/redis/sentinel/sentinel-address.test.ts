import { describe, expect, it } from "vitest";
import { StartupError } from "../../errors/startup-error.ts";
import { createSentinelAddress } from "./sentinel-address.ts";

const sentinel = ["redis://10.0.0.1:26379", "redis://10.0.0.2"];

describe("Sentinel addresses", () => {
  it("user, password, database and TLS of the master come from its URL, but the host does not", () => {
    const { options, label, db } = createSentinelAddress({
      sentinel,
      master: "locks",
      redis: "rediss://mei:secret@nowhere.example:1/3",
    });
    expect(options).toMatchObject({ username: "mei", password: "secret", db: 3, tls: {} });
    expect(options).not.toHaveProperty("host");
    expect(options).not.toHaveProperty("port");
    expect({ label, db }).toEqual({ label: "Sentinel locks/3", db: 3 });
  });

  it.each([
    [{ sentinel: [], master: "locks" }, "at least one sentinel"],
    [{ sentinel, master: "" }, "SENTINEL MASTERS"],
    [{ sentinel: ["redis://10.0.0.1:26379/2"], master: "locks" }, "no databases"],
    [{ sentinel, master: "locks", redis: "unix:///run/redis.sock" }, "over TCP"],
  ])("the Sentinel configuration %j is rejected", (where, why) => {
    expect(() => createSentinelAddress(where)).toThrow(StartupError);
    expect(() => createSentinelAddress(where)).toThrow(why);
  });
});
