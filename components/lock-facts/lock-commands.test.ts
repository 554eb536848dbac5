import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSampleLock } from "@/lib/contract/sample-lock.ts";
import { decodeKey, encodeKey } from "@/lib/keys/key.ts";
import { quoteForShell } from "@/lib/snippets/quote-for-shell.ts";
import { buildForceReleaseCurl, buildInspectCommand, buildLockCurl } from "./lock-commands.ts";

const sh = (script: string) => execFileSync("/bin/sh", ["-c", script]);
const nasty = ["'; exit 9; '", "$(id)", "`id`", "a b", "\\", '"', "!!", "-n", "%s%b", "\n", "é\u202e", "*"];

describe("commands to copy", () => {
  it("shell quoting preserves any text", () => {
    for (const text of nasty) expect(sh(`printf %s ${quoteForShell(text)}`).toString()).toBe(text);
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(text, (one) => {
        fc.pre(!one.includes("\0") && one.isWellFormed());
        expect(sh(`printf %s ${quoteForShell(one)}`).toString()).toBe(one);
      }),
      { numRuns: 50 },
    );
  });

  it("a command leaves an ordinary key readable", () => {
    expect(buildInspectCommand("lock:orders:42", null)).toBe("redis-cli HGETALL lock:orders:42");
    expect(buildInspectCommand("lock:orders:42", "hash")).toBe("redis-cli HGETALL lock:orders:42");
    expect(buildInspectCommand("lock:orders:42", "string")).toBe("redis-cli GET lock:orders:42");
    expect(buildInspectCommand("lock:orders:42", "zset")).toBe(
      "redis-cli ZRANGE lock:orders:42 0 -1 WITHSCORES",
    );
    expect(buildLockCurl("http://127.0.0.1:3000", "lock:orders:42")).toBe(
      'curl -H "Authorization: Bearer $LOCKKEEPER_API_KEY" http://127.0.0.1:3000/api/v1/locks/lock%3Aorders%3A42',
    );
  });

  it("a redis-cli command passes the exact bytes of any key", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 24 });
    const seen = (command: string) => {
      // Replaces redis-cli. Prints the second argument. With `-x`, prints the standard input instead.
      const fake = 'fake() { if [ "$1" = -x ]; then cat; else printf %s "$2"; fi; }; ';
      return new Uint8Array(sh(fake + command.replace("redis-cli ", "fake ")));
    };
    for (const text of nasty) expect(seen(buildInspectCommand(text, null))).toEqual(encodeKey(text));
    fc.assert(
      fc.property(bytes, (one) => {
        expect(seen(buildInspectCommand(decodeKey(one), "string"))).toEqual(new Uint8Array(one));
      }),
      { numRuns: 50 },
    );
  });

  it("the curl that force-releases sends the version that was seen, whatever the texts hold", () => {
    for (const text of nasty) {
      const lock = createSampleLock({ key: "lock:a", version: text });
      const command = buildForceReleaseCurl("http://x", lock, { target: "eu", reason: text }) ?? "";
      // Replaces curl. Prints its last two arguments: the body and the URL.
      const fake = `fake() { shift $(($# - 2)); printf '%s\\n%s' "$1" "$2"; }; `;
      const [body = "", ...url] = sh(fake + command.replace("curl ", "fake "))
        .toString()
        .split("\n");
      expect(JSON.parse(body)).toEqual({ expectedVersion: text, reason: text });
      expect(url).toEqual(["http://x/api/v1/locks/lock%3Aa/force-release?target=eu"]);
    }
  });

  it("no curl is offered that the server would refuse", () => {
    const release = { formats: [], oneHolder: false, reservable: false };
    for (const fields of [
      { version: null },
      { release: { ...release, may: "never" } },
      { release: { ...release, may: "with_format" } },
    ] as const) {
      expect(buildForceReleaseCurl("http://x", createSampleLock(fields), { reason: "r" })).toBeUndefined();
    }
  });

  it("a quote in the key cannot break out of the curl command", () => {
    expect(buildLockCurl("http://x", "a'b")).toBe(
      `curl -H "Authorization: Bearer $LOCKKEEPER_API_KEY" 'http://x/api/v1/locks/a'\\''b'`,
    );
  });
});
