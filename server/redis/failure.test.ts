import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { failureOf, isOfNoMaster, isPassing, NeverSentError } from "./failure.ts";

/** An answer of Redis itself, as ioredis gives it. */
const reply = (message: string) => Object.assign(new Error(message), { name: "ReplyError" });
/** How Redis 6.2 tells that a command inside a script was refused. */
const inScript = (message: string) =>
  reply(
    `ERR Error running script (call to f_6b1bf486c81ceb7edf3c093f4c48582e38c0e791): @user_script:52: @user_script: 52: -${message} `,
  );

const PASSING = [
  "NOSCRIPT No matching script. Please use EVAL.",
  "READONLY You can't write against a read only replica.",
  "LOADING Redis is loading the dataset in memory",
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "CLUSTERDOWN The cluster is down",
  "TRYAGAIN Multiple keys request during rehashing of slot",
  "MOVED 3999 127.0.0.1:6381",
  "ASK 3999 127.0.0.1:6381",
  "NOREPLICAS Not enough good replicas to write.",
  "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
];
const LASTING = [
  "NOAUTH Authentication required.",
  "NOPERM this user has no permissions to run the 'evalsha' command",
  "WRONGPASS invalid username-password pair or user is disabled.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
];

describe("failureOf", () => {
  it.each([...PASSING, ...LASTING])("knows that nothing was done on %s", (message) => {
    expect(failureOf(reply(message))).toBe("not_executed");
  });

  it.each([
    "READONLY You can't write against a read only replica.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Errors writing to the AOF file: No space left on device",
    "NOREPLICAS Not enough good replicas to write.",
  ])("knows so too where Redis 6.2 says it of a command inside a script: %s", (message) => {
    expect(failureOf(inScript(message))).toBe("not_executed");
  });

  it.each([
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ERR unknown command 'FOO'",
    "ERR user_script:3: Script attempted to access nonexistent global variable 'x'",
    "BUSYKEY Target key name already exists.",
    "ERR the OOM killer was here",
  ])("calls what repeating does not change a fault: %s", (message) => {
    expect(failureOf(reply(message))).toBe("fault");
  });

  it("calls a fault inside a script of Redis 6.2 a fault", () => {
    expect(failureOf(inScript("WRONGTYPE Operation against a key"))).toBe("fault");
  });

  it.each(["Connection is closed.", "Command timed out", "read ECONNRESET", "write EPIPE"])(
    "cannot tell whether a call ran that ended with: %s",
    (message) => {
      expect(failureOf(new Error(message))).toBe("unknown");
    },
  );

  it("cannot tell how far a script came that a cluster ended in its middle", () => {
    const said = "Script attempted to access a non local key in a cluster node";
    expect(failureOf(reply(`ERR ${said} script: 4f2, on @user_script:12.`))).toBe("unknown");
    expect(failureOf(reply(`ERR Error running script (call to f_4f2): @user_script:12: Lua ${said} `))).toBe(
      "unknown",
    );
  });

  it("knows that nothing was done where there was no connection to send it on", () => {
    expect(failureOf(new NeverSentError("No node of the cluster has the slot"))).toBe("not_executed");
  });

  it("takes anything that is no error for a fault", () => {
    expect(failureOf("READONLY")).toBe("fault");
    expect(failureOf(undefined)).toBe("fault");
  });

  it("knows that a call was never sent while there is no connection, in ioredis's own words", async () => {
    const redis = new Redis({
      host: "127.0.0.1",
      port: 1,
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: () => null,
    });
    redis.on("error", () => undefined);
    const error: unknown = await redis.get("lock:a").catch((cause: unknown) => cause);
    redis.disconnect();
    expect(error).toBeInstanceOf(Error);
    expect(failureOf(error)).toBe("not_executed");
  });
});

describe("isOfNoMaster", () => {
  it.each(PASSING.slice(1, 4))("is true of %s, within a script, too", (message) => {
    expect(isOfNoMaster(reply(message))).toBe(true);
    expect(isOfNoMaster(inScript(message))).toBe(true);
  });

  it("is false of what a master says", () => {
    expect(isOfNoMaster(reply("NOSCRIPT No matching script. Please use EVAL."))).toBe(false);
    expect(isOfNoMaster(reply("WRONGTYPE READONLY"))).toBe(false);
  });
});

describe("isPassing", () => {
  it.each(PASSING)("is true of %s", (message) => {
    expect(isPassing(reply(message))).toBe(true);
  });

  it.each(LASTING)("is false of %s", (message) => {
    expect(isPassing(reply(message))).toBe(false);
    expect(isPassing(inScript(message))).toBe(false);
  });

  it("is true of a broken connection and of what is no error", () => {
    expect(isPassing(new Error("Connection is closed."))).toBe(true);
    expect(isPassing(undefined)).toBe(true);
  });
});
