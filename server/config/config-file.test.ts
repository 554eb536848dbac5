import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StartupError } from "../errors/startup-error.ts";
import { readConfig } from "./config.ts";
import { buildConfigFileSchema } from "./config-file.ts";

let dir: string;
let path: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "lockkeeper-config-"));
  path = join(dir, "lockkeeper.config.json");
});
afterAll(() => rmSync(dir, { recursive: true }));

function readConfigFrom(content: unknown, environment: Record<string, string> = {}) {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return readConfig({ LOCKKEEPER_CONFIG: path, ...environment }, []);
}

function readError(content: unknown, environment: Record<string, string> = {}): string {
  try {
    readConfigFrom(content, environment);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

const TARGET = { name: "main", redis: "redis://:hunter2@127.0.0.1" };
const buildConfigWith = (more: object) => ({ targets: [TARGET, { ...TARGET, name: "other", ...more }] });

describe("configuration file", () => {
  it("the example configuration in the docs is valid and reads secrets from the environment", () => {
    const example = resolve("docs/lockkeeper.config.json");
    const environment = {
      LOCKKEEPER_CONFIG: example,
      SHOP_REDIS_PASSWORD: "a",
      PAYMENTS_REDIS_PASSWORD: "b",
    };
    const { targets, targetsSource, home } = readConfig(environment, []);
    expect(targetsSource).toBe("file");
    expect(home).toBe("redis://lockkeeper.internal:6379/0");
    expect(targets.map(({ name, label, environment }) => [name, label, environment])).toEqual([
      ["shop", "Shop", "production"],
      ["payments", "Payments", "production"],
      ["staging", "staging", "staging"],
    ]);
    expect(targets[0]).toMatchObject({
      where: { master: "shop", redis: "redis://lockkeeper:a@master/0" },
      setting: "targets[0].redis",
      policy: { watch: ["*lock*", "order-*", "lock:*"], lockable: ["lock:*"], notifications: "set" },
      formatRules: [{ pattern: "order-*", format: "redlock-net" }],
    });
    expect(targets[1]?.policy.readOnly).toBe(true);
    const { SHOP_REDIS_PASSWORD: _, ...without } = environment;
    expect(() => readConfig(without, [])).toThrow(
      `${example}: targets[0].redis.redis: \${SHOP_REDIS_PASSWORD} references an environment variable that is not set.`,
    );
  });

  it("the published schema of the configuration file is the one that validates it", () => {
    const file = resolve("docs/lockkeeper.config.schema.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(
      JSON.parse(JSON.stringify(buildConfigFileSchema())),
    );
  });

  it("a target may require replicas and a hold-off after a failover", () => {
    const entry = { name: "a", redis: "redis://127.0.0.1" };
    const [asked] = readConfigFrom({
      targets: [{ ...entry, replicas: 1, failoverHoldOffMs: 30_000 }],
    }).targets;
    expect(asked?.safety).toEqual({ replicas: 1, failoverHoldOffMs: 30_000 });
    expect(() => readConfigFrom({ targets: [{ ...entry, replicas: -1 }] })).toThrow("targets[0].replicas");
  });

  it("the configuration file has the same defaults as the environment", () => {
    const [one] = readConfig({}, []).targets;
    const [other] = readConfigFrom({ targets: [{ name: "default", redis: "redis://127.0.0.1" }] }).targets;
    expect(other).toEqual({ ...one, where: "redis://127.0.0.1", setting: "targets[0].redis" });
  });

  it("a doubled dollar sign stands for itself", () => {
    const { targets } = readConfigFrom({ targets: [{ ...TARGET, label: "$${HOME}" }] });
    expect(targets[0].label).toBe(["$", "{HOME}"].join(""));
  });

  it.each<[string, unknown, RegExp]>([
    ["a missing target list", {}, /: targets: is missing\.$/],
    ["an empty target list", { targets: [] }, /: targets\[0\]: is missing\.$/],
    [
      "an unknown setting",
      { ...buildConfigWith({}), target: 1 },
      /: there is no setting "target"; docs\/.*schema\.json/,
    ],
    ["an unknown target setting", buildConfigWith({ url: "x" }), /: targets\[1\]: there is no setting "url"/],
    [
      "a target without Redis",
      buildConfigWith({ redis: undefined }),
      /: targets\[1\]\.redis: is missing; it must be a URL, \{ sentinel/,
    ],
    [
      "a Redis that is a number",
      buildConfigWith({ redis: 6379 }),
      /: targets\[1\]\.redis: it must be a URL, \{ sentinel/,
    ],
    [
      "an invalid Redis URL",
      buildConfigWith({ redis: "hunter2" }),
      /: targets\[1\]\.redis: must start with redis:\/\/, rediss/,
    ],
    [
      "an invalid database",
      buildConfigWith({ redis: "redis://:hunter2@h/x" }),
      /: targets\[1\]\.redis: the URL names a database/,
    ],
    [
      "a password with an unescaped %",
      buildConfigWith({ redis: "redis://:hunter2%@h" }),
      /: targets\[1\]\.redis: the URL has a %/,
    ],
    [
      "a missing master name",
      buildConfigWith({ redis: { sentinel: ["redis://h"] } }),
      /: targets\[1\]\.redis\.master: is/,
    ],
    [
      "an unknown Sentinel setting",
      buildConfigWith({ redis: { sentinel: ["redis://h"], master: "m", seat: 1 } }),
      /redis: there is no.*"seat"/,
    ],
    [
      "an invalid cluster node",
      buildConfigWith({ redis: { cluster: ["redis://h", "hunter2"] } }),
      /redis\.cluster\[1\]: must start with redis/,
    ],
    [
      "a database of a cluster node",
      buildConfigWith({ redis: { cluster: ["redis://h/2"] } }),
      /redis: A cluster has the database 0/,
    ],
    [
      "a quorum with missing masters",
      buildConfigWith({ redis: { quorum: ["redis://h"] } }),
      /redis\.quorum: must list all masters of the quorum/,
    ],
    [
      "an invalid target name",
      buildConfigWith({ name: "a b" }),
      /: targets\[1\]\.name: must start with a letter or digit/,
    ],
    [
      "a duplicate target name",
      buildConfigWith({ name: "main" }),
      /: targets\[1\]\.name: another target has the same name/,
    ],
    [
      "an unknown format",
      buildConfigWith({ formats: [{ pattern: "a", format: "x" }] }),
      /formats\[0\]\.format: must be one of .*redlock-net/,
    ],
    [
      "a runbook with a script URL",
      buildConfigWith({ runbooks: [{ pattern: "a", url: "javascript:alert(1)" }] }),
      /runbooks\[0\]\.url: must begin with https:\/\/ or http:\/\//,
    ],
    [
      "an empty pattern",
      buildConfigWith({ watch: [""] }),
      /: targets\[1\]\.watch\[0\]: must have at least one character/,
    ],
    [
      "a fractional replica count",
      buildConfigWith({ replicas: 0.5 }),
      /: targets\[1\]\.replicas: must be a whole number/,
    ],
    [
      "an excessive failover hold-off",
      buildConfigWith({ failoverHoldOffMs: 1e9 }),
      /failoverHoldOffMs: must be at most 86400000/,
    ],
    [
      "a readOnly that is not a boolean",
      buildConfigWith({ readOnly: "yes" }),
      /: targets\[1\]\.readOnly: must be true or false/,
    ],
    [
      "an unknown notification policy",
      buildConfigWith({ notifications: "on" }),
      /: targets\[1\]\.notifications: must be one of off, set/,
    ],
    [
      "a notification change at a read-only target",
      buildConfigWith({ readOnly: true, notifications: "set" }),
      /notifications: must be off if readOnly is true/,
    ],
    ["a top-level list", [], /: must be an object/],
    [
      "invalid JSON",
      '{\n  "targets": [{"redis": "redis://:hunter2@h" "x": 1}]\n}',
      /: invalid JSON \(line 2, column \d+\)/,
    ],
    ["a truncated file", '{"targets": [', /: invalid JSON \(line 1, column 14\)/],
  ])("%s is rejected in one line with its location", (_, content, fault) => {
    const message = readError(content);
    expect(message).toMatch(fault);
    expect(message.startsWith(`${path}: `)).toBe(true);
    expect(message).not.toMatch(/hunter2|\n/);
  });

  it("a missing configuration file and settings repeated in the environment are reported", () => {
    expect(() => readConfig({ LOCKKEEPER_CONFIG: "/no/such.json" }, [])).toThrow(
      "/no/such.json: the file does not exist. Set LOCKKEEPER_CONFIG to the path of the configuration file.",
    );
    expect(readError(buildConfigWith({}), { REDIS_URL: "redis://h", LOCKKEEPER_WATCH: "a" })).toMatch(
      /^REDIS_URL, LOCKKEEPER_WATCH are set, but .*config\.json configures the targets\. Move the setting into the file/,
    );
    const home = { LOCKKEEPER_HOME_URL: "redis://elsewhere" };
    expect(readConfigFrom(buildConfigWith({}), home).home).toBe("redis://elsewhere");
    expect(readError({ ...buildConfigWith({}), home: "redis://h" }, home)).toMatch(
      /^LOCKKEEPER_HOME_URL is set, but /,
    );
  });
});

describe("Redis URLs with several hosts", () => {
  const whereOf = (url: string) => readConfig({ REDIS_URL: url }, []).targets[0].where;

  it("a Sentinel URL names the sentinels, the master and how to reach it", () => {
    expect(whereOf("redis-sentinel://mei:p%2Fw@h1:26379,h2/3?master=shop")).toEqual({
      sentinel: ["redis://h1:26379", "redis://h2"],
      master: "shop",
      redis: "redis://mei:p%2Fw@master/3",
    });
    expect(whereOf("rediss-sentinel://h1?master=m")).toMatchObject({
      sentinel: ["rediss://h1"],
      redis: "rediss://master/",
    });
  });

  it("a cluster URL names some nodes of the cluster", () => {
    expect(whereOf("redis-cluster://:pw@h1:7000,h2")).toEqual({
      cluster: ["redis://:pw@h1:7000", "redis://:pw@h2"],
    });
    expect(whereOf("rediss-cluster://h1")).toEqual({ cluster: ["rediss://h1"] });
  });
});
