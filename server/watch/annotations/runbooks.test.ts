import { describe, expect, it } from "vitest";
import { decodeKey } from "../../../lib/keys/key.ts";
import { Runbooks } from "./runbooks.ts";

const runbooks = new Runbooks([
  { pattern: "lock:orders:*", url: "https://wiki.example/orders?key={key}#{key}" },
  { pattern: "lock:*", url: "https://wiki.example/locks" },
  { pattern: "*", url: "https://wiki.example/all/{key}" },
]);

describe("runbook URLs", () => {
  it("the runbook URL comes from the first matching pattern, with every {key} placeholder replaced", () => {
    expect(runbooks.findUrl("lock:orders:42")).toBe(
      "https://wiki.example/orders?key=lock%3Aorders%3A42#lock%3Aorders%3A42",
    );
    expect(runbooks.findUrl("lock:jobs")).toBe("https://wiki.example/locks");
    expect(new Runbooks([]).findUrl("lock:jobs")).toBeUndefined();
  });

  it("the key is percent-encoded in the runbook URL, whatever bytes it contains", () => {
    const hostile = "a/../../b?c=d&e#f'\"<>$&{key} é";
    const found = runbooks.findUrl(hostile) ?? "";
    const { origin, pathname, search, hash } = new URL(found);
    expect([origin, search, hash]).toEqual(["https://wiki.example", "", ""]);
    expect(decodeURIComponent(pathname)).toBe(`/all/${hostile}`);
    expect(found).not.toMatch(/['"<>]/);
    expect(runbooks.findUrl(decodeKey(Buffer.of(0xff, 0x61, 0)))).toBe("https://wiki.example/all/%FF%61%00");
    for (const dots of [".", ".."]) expect(runbooks.findUrl(dots)).toBeUndefined();
  });
});
