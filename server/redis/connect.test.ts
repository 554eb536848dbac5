import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StartupError } from "../errors/startup-error.ts";
import { addressOf } from "./connect.ts";

function faultOf(url: string): string {
  try {
    addressOf(url);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

describe("addressOf", () => {
  it.each([
    ["redis://redis.example", "redis.example", 6379, 0, "redis.example:6379/0"],
    ["redis://redis.example/", "redis.example", 6379, 0, "redis.example:6379/0"],
    ["redis://127.0.0.1:7000/12", "127.0.0.1", 7000, 12, "127.0.0.1:7000/12"],
    ["redis://[::1]:7000/1", "::1", 7000, 1, "[::1]:7000/1"],
    ["redis://[2001:db8::7]", "2001:db8::7", 6379, 0, "[2001:db8::7]:6379/0"],
    ["redis:///3", "127.0.0.1", 6379, 3, "127.0.0.1:6379/3"],
    ["redis://", "127.0.0.1", 6379, 0, "127.0.0.1:6379/0"],
  ])("reads %s", (url, host, port, db, label) => {
    expect(addressOf(url)).toEqual({ options: { host, port, db }, label, db });
  });

  it("uses TLS for rediss, with the name of the host but never with an address for a name", () => {
    expect(addressOf("rediss://redis.example").options.tls).toEqual({ servername: "redis.example" });
    expect(addressOf("rediss://10.0.0.1").options.tls).toEqual({});
    expect(addressOf("rediss://[::1]").options.tls).toEqual({});
    expect(addressOf("redis://redis.example").options.tls).toBeUndefined();
  });

  it.each([
    ["unix:///run/redis.sock", "/run/redis.sock", 0],
    ["unix:///run/redis.sock?db=4", "/run/redis.sock", 4],
    ["unix:///run/my redis/r%C3%A9dis.sock", "/run/my redis/rédis.sock", 0],
  ])("reads the socket %s", (url, path, db) => {
    expect(addressOf(url)).toEqual({ options: { path, db }, label: `${path} db ${db}`, db });
  });

  it("takes user and password out of their encoding", () => {
    expect(addressOf("redis://us%40er:p%2Fa%3Ass@h").options).toMatchObject({
      username: "us@er",
      password: "p/a:ss",
    });
    expect(addressOf("redis://:pw@h").options).toEqual({ host: "h", port: 6379, db: 0, password: "pw" });
  });

  it("gives any password to Redis as it is, and never to the label", () => {
    const passwords = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map((text) => `pw-${text}`);
    fc.assert(
      fc.property(passwords, fc.constantFrom("redis", "rediss"), (password, protocol) => {
        const { options, label } = addressOf(`${protocol}://app:${encodeURIComponent(password)}@h:1/2`);
        expect(options).toMatchObject({ username: "app", password });
        expect(label).toBe("h:1/2");
      }),
    );
  });

  it.each(["redis", "", "redis://h:port", "redis://h:70000", "redis://[::1", "redis://:pw@:6379"])(
    "refuses %j, and says how an URL looks",
    (url) => {
      expect(faultOf(url)).toContain("redis://[user:password@]host:port[/db]");
    },
  );

  it.each(["redis://h/x", "redis://h/-1", "redis://h/1/2", "redis://h/123456", "unix:///s?db=x"])(
    "refuses the database of %s, and says how one looks",
    (url) => {
      expect(faultOf(url)).toContain("redis://host:6379/0");
    },
  );

  it.each(["redis://:50%@h", "redis://u%zz@h", "redis://:%ff@h", "unix:///run/100%.sock"])(
    "refuses the lone percent sign of %s, and says how to write it",
    (url) => {
      expect(faultOf(url)).toContain("%25");
    },
  );

  it.each([
    "redis://:50%hunter2@h",
    "redis://app:12/hunter2@h:6379",
    "redis://:x/hunter2@h",
    "redis://h:hunter2",
  ])("says nothing of the password when it refuses %s", (url) => {
    expect(faultOf(url)).not.toContain("hunter2");
  });
});
