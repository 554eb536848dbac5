import { AsyncLocalStorage } from "node:async_hooks";
import { EventEmitter, once } from "node:events";
import { Redis } from "ioredis";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConnectionErrors, describeConnectionError, formatAddress } from "./connection-errors.ts";

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

describe("record", () => {
  afterEach(() => void vi.restoreAllMocks());

  const watch = (label: string) => ConnectionErrors.watch(new Redis({ lazyConnect: true }), label);

  it("stops tracking promises when the last of two overlapping recordings has settled", async () => {
    const disable = vi.spyOn(AsyncLocalStorage.prototype, "disable");
    const [first, second] = [new EventEmitter(), new EventEmitter()];
    const attempted = (label: string, until: Promise<unknown>) =>
      ConnectionErrors.record(async (errors) => {
        await until;
        watch(label);
        return errors.attempted;
      });
    const recordings = [attempted("a:1/0", once(first, "go")), attempted("b:1/0", once(second, "go"))];
    first.emit("go");
    expect(await recordings[0]).toBe(1);
    expect(disable).not.toHaveBeenCalled();
    second.emit("go");
    expect(await recordings[1]).toBe(1);
    expect(disable).toHaveBeenCalledOnce();
    expect(await attempted("c:1/0", Promise.resolve())).toBe(1);
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
