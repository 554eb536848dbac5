import { describe, expect, it } from "vitest";
import { describeConnectionError, formatAddress } from "./connection-errors.ts";

const refused = new Error("connect ECONNREFUSED ::1:6379");

describe("describeConnectionError", () => {
  it.each([
    ["a system error", refused, "connect ECONNREFUSED ::1:6379"],
    ["the first of several addresses", new AggregateError([refused, new Error("other")]), refused.message],
    [
      "a reply without its full stop",
      new Error("NOAUTH Authentication required."),
      "NOAUTH Authentication required",
    ],
    [
      "an unknown command without its arguments",
      new Error("ERR unknown command 'AUTH', with args beginning with: 'open-sesame' "),
      "ERR unknown command 'AUTH'",
    ],
    ["nothing", undefined, "no answer"],
  ])("describes %s", (_, error, text) => {
    expect(describeConnectionError(error)).toBe(text);
  });
});

describe("formatAddress", () => {
  it.each([
    ["127.0.0.1:6379/0", "127.0.0.1:6379"],
    ["[::1]:6379/12", "[::1]:6379"],
    ["/run/redis/0 db 3", "/run/redis/0"],
    ["10.0.0.1:26379", "10.0.0.1:26379"],
  ])("%s without its database is %s", (label, address) => {
    expect(formatAddress(label)).toBe(address);
  });
});
