import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StartupError } from "../errors/startup-error.ts";
import { parseRedisAddress } from "./connect.ts";

function catchFault(url: string): string {
  try {
    parseRedisAddress(url);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

describe("Redis URLs", () => {
  it.each([
    ["redis://redis.example", "redis.example", 6379, 0, "redis.example:6379/0"],
    ["redis://redis.example/", "redis.example", 6379, 0, "redis.example:6379/0"],
    ["redis://127.0.0.1:7000/12", "127.0.0.1", 7000, 12, "127.0.0.1:7000/12"],
    ["redis://[::1]:7000/1", "::1", 7000, 1, "[::1]:7000/1"],
    ["redis://[2001:db8::7]", "2001:db8::7", 6379, 0, "[2001:db8::7]:6379/0"],
    ["redis:///3", "127.0.0.1", 6379, 3, "127.0.0.1:6379/3"],
    ["redis://", "127.0.0.1", 6379, 0, "127.0.0.1:6379/0"],
  ])("the URL %s is parsed", (url, host, port, db, label) => {
    expect(parseRedisAddress(url)).toEqual({ options: { host, port, db }, label, db });
  });

  it("rediss URLs use TLS, with a server name for host names but not for IP addresses", () => {
    expect(parseRedisAddress("rediss://redis.example").options.tls).toEqual({ servername: "redis.example" });
    expect(parseRedisAddress("rediss://10.0.0.1").options.tls).toEqual({});
    expect(parseRedisAddress("rediss://[::1]").options.tls).toEqual({});
    expect(parseRedisAddress("redis://redis.example").options.tls).toBeUndefined();
  });

  it.each([
    ["unix:///run/redis.sock", "/run/redis.sock", 0],
    ["unix:///run/redis.sock?db=4", "/run/redis.sock", 4],
    ["unix:///run/my redis/r%C3%A9dis.sock", "/run/my redis/rédis.sock", 0],
  ])("the socket URL %s is parsed", (url, path, db) => {
    expect(parseRedisAddress(url)).toEqual({ options: { path, db }, label: `${path} db ${db}`, db });
  });

  it("user and password are percent-decoded", () => {
    expect(parseRedisAddress("redis://us%40er:p%2Fa%3Ass@h").options).toMatchObject({
      username: "us@er",
      password: "p/a:ss",
    });
    expect(parseRedisAddress("redis://:pw@h").options).toEqual({
      host: "h",
      port: 6379,
      db: 0,
      password: "pw",
    });
  });

  it("any password is passed to Redis unchanged and never appears in the label", () => {
    const passwords = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map((text) => `pw-${text}`);
    fc.assert(
      fc.property(passwords, fc.constantFrom("redis", "rediss"), (password, protocol) => {
        const { options, label } = parseRedisAddress(
          `${protocol}://app:${encodeURIComponent(password)}@h:1/2`,
        );
        expect(options).toMatchObject({ username: "app", password });
        expect(label).toBe("h:1/2");
      }),
    );
  });

  it.each(["redis", "", "redis://h:port", "redis://h:70000", "redis://[::1", "redis://:pw@:6379"])(
    "the URL %j is rejected with the expected URL format",
    (url) => {
      expect(catchFault(url)).toContain("redis://[user:password@]host:port[/db]");
    },
  );

  it.each(["redis://h/x", "redis://h/-1", "redis://h/1/2", "redis://h/123456", "unix:///s?db=x"])(
    "the database of %s is rejected with an example",
    (url) => {
      expect(catchFault(url)).toContain("redis://host:6379/0");
    },
  );

  it.each(["redis://:50%@h", "redis://u%zz@h", "redis://:%ff@h", "unix:///run/100%.sock"])(
    "the unescaped percent sign in %s is rejected with its correct form",
    (url) => {
      expect(catchFault(url)).toContain("%25");
    },
  );

  it.each([
    "redis://:50%hunter2@h",
    "redis://app:12/hunter2@h:6379",
    "redis://:x/hunter2@h",
    "redis://h:hunter2",
  ])("the error for %s does not contain the password", (url) => {
    expect(catchFault(url)).not.toContain("hunter2");
  });
});
