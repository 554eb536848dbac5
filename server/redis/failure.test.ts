import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { classifyFailure, findRefusal, isNotMasterError, isTransient, NeverSentError } from "./failure.ts";

/** Creates an error reply of Redis, as ioredis throws it. */
const reply = (message: string) => Object.assign(new Error(message), { name: "ReplyError" });
/** Wraps an error message as Redis 6.2 does for a command inside a script. */
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

describe("failure classification", () => {
  it.each([...PASSING, ...LASTING])("nothing was executed after the error %s", (message) => {
    expect(classifyFailure(reply(message))).toBe("not_executed");
  });

  it.each([
    "READONLY You can't write against a read only replica.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Errors writing to the AOF file: No space left on device",
    "NOREPLICAS Not enough good replicas to write.",
  ])("nothing was executed when Redis 6.2 wraps the error in a script error: %s", (message) => {
    expect(classifyFailure(inScript(message))).toBe("not_executed");
  });

  it.each([
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ERR unknown command 'FOO'",
    "ERR user_script:3: Script attempted to access nonexistent global variable 'x'",
    "BUSYKEY Target key name already exists.",
    "ERR the OOM killer was here",
  ])("an error that a retry cannot fix is a fault: %s", (message) => {
    expect(classifyFailure(reply(message))).toBe("fault");
  });

  it("a command error inside a Redis 6.2 script is a fault", () => {
    expect(classifyFailure(inScript("WRONGTYPE Operation against a key"))).toBe("fault");
  });

  it.each(["Connection is closed.", "Command timed out", "read ECONNRESET", "write EPIPE"])(
    "the outcome is unknown after the connection error: %s",
    (message) => {
      expect(classifyFailure(new Error(message))).toBe("unknown");
    },
  );

  it("the outcome is unknown when a cluster aborted a script midway", () => {
    const said = "Script attempted to access a non local key in a cluster node";
    expect(classifyFailure(reply(`ERR ${said} script: 4f2, on @user_script:12.`))).toBe("unknown");
    expect(
      classifyFailure(reply(`ERR Error running script (call to f_4f2): @user_script:12: Lua ${said} `)),
    ).toBe("unknown");
  });

  it("nothing was executed when there was no connection to send the call on", () => {
    expect(classifyFailure(new NeverSentError("No node of the cluster has the slot"))).toBe("not_executed");
  });

  it("a thrown value that is not an error is a fault", () => {
    expect(classifyFailure("READONLY")).toBe("fault");
    expect(classifyFailure(undefined)).toBe("fault");
  });

  it("ioredis's error for a missing connection means that nothing was executed", async () => {
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
    expect(classifyFailure(error)).toBe("not_executed");
  });
});

describe("errors of servers that are not the master", () => {
  it.each(PASSING.slice(1, 4))(
    "%s means that the server is not a usable master, also within a script",
    (message) => {
      expect(isNotMasterError(reply(message))).toBe(true);
      expect(isNotMasterError(inScript(message))).toBe(true);
    },
  );

  it("other errors do not mean that the server is not the master", () => {
    expect(isNotMasterError(reply("NOSCRIPT No matching script. Please use EVAL."))).toBe(false);
    expect(isNotMasterError(reply("WRONGTYPE READONLY"))).toBe(false);
  });
});

describe("temporary errors", () => {
  it.each(PASSING)("%s is temporary", (message) => {
    expect(isTransient(reply(message))).toBe(true);
  });

  it.each(LASTING)("%s is not temporary", (message) => {
    expect(isTransient(reply(message))).toBe(false);
    expect(isTransient(inScript(message))).toBe(false);
  });

  it("a broken connection and a missing error are temporary", () => {
    expect(isTransient(new Error("Connection is closed."))).toBe(true);
    expect(isTransient(undefined)).toBe(true);
  });
});

describe("refusals", () => {
  it.each([
    ["NOREPLICAS Not enough good replicas to write.", "no_replicas"],
    ["MISCONF Errors writing to the AOF file: No space left on device", "persistence_failed"],
    ["OOM command not allowed when used memory > 'maxmemory'.", "out_of_memory"],
    ["READONLY You can't write against a read only replica.", "read_only"],
    ["CLUSTERDOWN The cluster is down", "cluster_down"],
    ["MASTERDOWN Link with MASTER is down", "master_down"],
    ["LOADING Redis is loading the dataset in memory", "loading"],
    ["BUSY Redis is busy running a script.", "busy_script"],
    ["NOPERM this user has no permissions to run the 'evalsha' command", "no_permission"],
    ["WRONGPASS invalid username-password pair or user is disabled.", "no_auth"],
  ])("%s is named, alone, in a script of Redis 6.2 and in a transaction", (message, reason) => {
    expect(findRefusal(reply(message))).toBe(reason);
    expect(findRefusal(inScript(message))).toBe(reason);
    const discarded = reply("EXECABORT Transaction discarded because of previous errors.");
    expect(findRefusal(Object.assign(discarded, { previousErrors: [reply(message)] }))).toBe(reason);
  });

  it.each(["ERR the OOM killer was here", "OOMX", "BUSYKEY Target key name already exists.", "oom"])(
    "%s is not a refusal",
    (message) => {
      expect(findRefusal(reply(message))).toBeUndefined();
    },
  );
});
