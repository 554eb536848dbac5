import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { StartupError } from "../errors/startup-error.ts";
import { TrustedProxies } from "../network/trusted-proxies.ts";
import { getEmbeddedRedisDir, readConfig } from "./config.ts";

const readConfigFrom = (environment: Record<string, string> = {}, argv: string[] = []) =>
  readConfig(environment as unknown as NodeJS.ProcessEnv, argv);

function readError(environment: Record<string, string>): StartupError {
  try {
    readConfigFrom(environment);
  } catch (error) {
    if (error instanceof StartupError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("environment configuration", () => {
  it("the server starts without any setting", () => {
    expect(readConfigFrom()).toEqual({
      port: 3000,
      host: "127.0.0.1",
      publicUrl: undefined,
      basePath: "",
      trustedProxies: new TrustedProxies([]),
      insecureHttp: false,
      apiAdapter: "node",
      mode: "production",
      launcher: "npm",
      launcherOptions: [],
      startedByNpm: false,
      targets: [
        {
          name: "default",
          label: "default",
          environment: undefined,
          where: undefined,
          runbooks: [],
          setting: "REDIS_URL",
          policy: {
            watch: ["*lock*", "*LOCK*", "mutex:*", "semaphore:*", "lock:*"],
            lockable: ["lock:*"],
            readOnly: false,
            notifications: "off",
          },
          fairWaitMs: 300_000,
          formatRules: [],
        },
      ],
      targetsSource: "environment",
      home: undefined,
      redisServerBin: undefined,
      embeddedRedisPort: 6399,
      dataDir: resolve(".cache"),
      streamsMax: 1000,
      streamsPerCallerMax: 500,
      waitersMax: 10_000,
      holdQuota: { holdsMax: 10_000, bytesMax: 67_108_864 },
      connectionsMax: 20_000,
      rateLimits: {
        perCaller: { perSecond: 20_000, burst: 40_000 },
        perAddress: { perSecond: 20, burst: 400 },
        readCpu: { msPerSecond: 500, burstMs: 5000 },
        sendsHeaders: false,
      },
      drainMs: 0,
      locksMax: 1_000_000,
      metrics: "key",
      metricsPatterns: 0,
      tracing: undefined,
      audit: { most: 100_000, ms: 400 * 86_400_000 },
      history: { most: 50_000, ms: 7 * 86_400_000 },
      rootKey: undefined,
      logLevel: "warn",
      operatorName: expect.stringMatching(/./),
      firstOperator: undefined,
      sessions: { longestMs: 12 * 3_600_000, idleMs: 2 * 3_600_000 },
    });
  });

  it("traces are sent to the endpoint in the OpenTelemetry variables", () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = "http://collector:4318/";
    const url = "http://collector:4318/v1/traces";
    expect(readConfigFrom({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({ url, service: "lockkeeper" });
    const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = "https://elsewhere/spans";
    const both = {
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
      OTEL_SERVICE_NAME: "locks",
    };
    expect(readConfigFrom(both).tracing).toEqual({
      url: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
      service: "locks",
    });
    expect(readConfigFrom({ ...both, OTEL_SDK_DISABLED: "true" }).tracing).toBeUndefined();
    expect(() => readConfigFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" })).toThrow(
      "must be an http://",
    );
  });

  it("every setting is read from its environment variable", () => {
    const rootKey = "k".repeat(32);
    const config = readConfigFrom({
      PORT: "8080",
      HOST: "::",
      REDIS_URL: "rediss://redis:6380/2",
      REDIS_SERVER_BIN: "/opt/redis-server",
      LOCKKEEPER_TARGET: "main",
      LOCKKEEPER_NOTIFICATIONS: "set",
      LOCKKEEPER_ROOT_KEY: rootKey,
      LOCKKEEPER_PUBLIC_URL: "https://locks.example",
      LOCKKEEPER_INSECURE_HTTP: "1",
      LOCKKEEPER_HTTP_ADAPTER: "next",
      LOCKKEEPER_CACHE_DIR: "/var/cache/lockkeeper",
      LOCKKEEPER_REDIS_PORT: "7000",
      LOCKKEEPER_LOG: "debug",
      npm_lifecycle_event: "start",
    });
    expect(config).toMatchObject({
      port: 8080,
      host: "::",
      redisServerBin: "/opt/redis-server",
      targets: [{ name: "main", where: "rediss://redis:6380/2", policy: { notifications: "set" } }],
      rootKey,
      publicUrl: "https://locks.example",
      insecureHttp: true,
      apiAdapter: "next",
      dataDir: "/var/cache/lockkeeper",
      embeddedRedisPort: 7000,
      logLevel: "debug",
      startedByNpm: true,
    });
    expect(getEmbeddedRedisDir(config)).toBe("/var/cache/lockkeeper/redis");
  });

  it("--dev selects development mode, whatever NODE_ENV is", () => {
    expect(readConfigFrom({ NODE_ENV: "production" }, ["node", "main.ts", "--dev"]).mode).toBe("development");
    expect(readConfigFrom({ NODE_ENV: "development" }).mode).toBe("production");
  });

  it("an empty variable counts as not set", () => {
    const names = [
      "PORT",
      "HOST",
      "REDIS_URL",
      "REDIS_SERVER_BIN",
      "LOCKKEEPER_TARGET",
      "LOCKKEEPER_WATCH",
      "LOCKKEEPER_LOCKABLE",
      "LOCKKEEPER_FORMATS",
      "LOCKKEEPER_NOTIFICATIONS",
      "LOCKKEEPER_ROOT_KEY",
      "LOCKKEEPER_PUBLIC_URL",
      "LOCKKEEPER_INSECURE_HTTP",
      "LOCKKEEPER_HTTP_ADAPTER",
      "LOCKKEEPER_CACHE_DIR",
      "LOCKKEEPER_REDIS_PORT",
      "LOCKKEEPER_LOG",
      "npm_lifecycle_event",
    ];
    expect(readConfigFrom(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(readConfigFrom());
  });

  it("patterns are comma-separated, and white space around them is ignored", () => {
    expect(readConfigFrom({ LOCKKEEPER_LOCKABLE: " job:* ,, cron:?, " }).targets[0].policy.lockable).toEqual([
      "job:*",
      "cron:?",
    ]);
  });

  it("format rules are comma-separated and keep their order", () => {
    expect(
      readConfigFrom({ LOCKKEEPER_FORMATS: "order-*=redlock-net, app:*=spring,,a=b=token" }).targets[0]
        .formatRules,
    ).toEqual([
      { pattern: "order-*", format: "redlock-net" },
      { pattern: "app:*", format: "spring" },
      { pattern: "a=b", format: "token" },
    ]);
  });

  it("runbooks are comma-separated pairs of a pattern and a URL", () => {
    const wiki = "https://wiki.example/locks?key={key}";
    expect(
      readConfigFrom({ LOCKKEEPER_RUNBOOKS: `lock:orders:*=${wiki}, a=b*=http://h/#{key},` }).targets[0]
        .runbooks,
    ).toEqual([
      { pattern: "lock:orders:*", url: wiki },
      { pattern: "a=b*", url: "http://h/#{key}" },
    ]);
  });

  it("lockable patterns are always watched, and no pattern is listed twice", () => {
    const [{ policy }] = readConfigFrom({
      LOCKKEEPER_WATCH: "a:*,b:*",
      LOCKKEEPER_LOCKABLE: "b:*,c:*",
    }).targets;
    expect(policy.watch).toEqual(["a:*", "b:*", "c:*"]);
    expect(policy.lockable).toEqual(["b:*", "c:*"]);
    expect(readConfigFrom({ LOCKKEEPER_WATCH: "," }).targets[0].policy.watch).toEqual(["lock:*"]);
  });

  it("LOCKKEEPER_DATA_DIR takes precedence over its earlier name", () => {
    const LOCKKEEPER_CACHE_DIR = "/var/cache/lockkeeper";
    const config = readConfigFrom({ LOCKKEEPER_DATA_DIR: "/var/lib/lockkeeper", LOCKKEEPER_CACHE_DIR });
    expect(config.dataDir).toBe("/var/lib/lockkeeper");
  });

  it("LOCKKEEPER_READ_ONLY makes the Redis of REDIS_URL read-only", () => {
    const REDIS_URL = "redis://redis:6379";
    const [target] = readConfigFrom({ REDIS_URL, LOCKKEEPER_READ_ONLY: "1" }).targets;
    expect(target.policy.readOnly).toBe(true);
    expect(() => readConfigFrom({ LOCKKEEPER_READ_ONLY: "1" })).toThrow("requires REDIS_URL");
    expect(() =>
      readConfigFrom({ REDIS_URL, LOCKKEEPER_READ_ONLY: "1", LOCKKEEPER_NOTIFICATIONS: "set" }),
    ).toThrow("LOCKKEEPER_NOTIFICATIONS must be off");
  });

  it("a leading ~/ is expanded to the home folder", () => {
    expect(readConfigFrom({ LOCKKEEPER_CACHE_DIR: "~/locks" }).dataDir).toBe(join(homedir(), "locks"));
  });

  it.each([
    ["LOCKKEEPER_RUNBOOKS", "lock:*", /must be PATTERN=URL, comma-separated/],
    ["LOCKKEEPER_RUNBOOKS", "lock:*=javascript:alert(1)", /https:\/\/ or http:\/\/.*is not/],
    ["LOCKKEEPER_RUNBOOKS", "lock:*=https://", /runbook for "lock:\*" whose URL must be an address/],
    ["LOCKKEEPER_RUNBOOKS", "lock:*=https://{key}.example/", /\{key\} in its path, query or fragment/],
    ["LOCKKEEPER_RUNBOOKS", "lock:*=https://wiki{key}@evil/", /\{key\} in its path, query or fragment/],
    ["PORT", "http", /port number/],
    ["PORT", "1.5", /whole number/],
    ["PORT", "-1", /from 0 to 65535/],
    ["PORT", "65536", /from 0 to 65535/],
    ["LOCKKEEPER_REDIS_PORT", "x", /port number/],
    ["LOCKKEEPER_REDIS_PORT", "70000", /from 0 to 65535/],
    ["REDIS_URL", "localhost:6379", /redis:\/\/, rediss:\/\/, unix:\/\//],
    ["REDIS_URL", "http://localhost", /redis:\/\/, rediss:\/\/, unix:\/\//],
    ["REDIS_URL", "redis-sentinel://h1", /names no master; write .*master=NAME/],
    ["REDIS_URL", "redis-cluster://", /names no host/],
    ["LOCKKEEPER_HOME_URL", "redis://h/x", /a database that is not a number/],
    ["LOCKKEEPER_TARGET", "x".repeat(65), /64 characters or fewer/],
    ["LOCKKEEPER_NOTIFICATIONS", "on", /off or set/],
    ["LOCKKEEPER_FAIR_WAIT_MS", "500", /1000 or more/],
    ["LOCKKEEPER_ROOT_KEY", "short", /32 to 512 characters/],
    ["LOCKKEEPER_ROOT_KEY", "x".repeat(513), /32 to 512 characters/],
    ["LOCKKEEPER_PUBLIC_URL", "ftp://locks.example", /http:\/\/ or https:\/\//],
    ["LOCKKEEPER_PUBLIC_URL", "locks.example", /http:\/\/ or https:\/\//],
    ["LOCKKEEPER_INSECURE_HTTP", "yes", /0 or 1/],
    ["LOCKKEEPER_HTTP_ADAPTER", "back", /node or next/],
    ["LOCKKEEPER_FORMATS", "app:*=spring,order-*", /PATTERN=FORMAT.*"order-\*" is invalid/],
    ["LOCKKEEPER_FORMATS", "=spring", /PATTERN=FORMAT.*"=spring" is invalid/],
    [
      "LOCKKEEPER_FORMATS",
      "app:*=sprong",
      /unknown format "sprong"; the formats are .*redlock-net, .*spring/,
    ],
    ["LOCKKEEPER_FORMATS", `${"x".repeat(257)}=spring`, /at most 256 characters/],
    ["LOCKKEEPER_LOG", "loud", /debug, info, warn, error, silent/],
  ])(
    "the setting %s=%s is rejected in one line that names it and what is allowed",
    (name, value, allowed) => {
      const { message } = readError({ [name]: value });
      expect(message).toMatch(new RegExp(`^${name} [^\n]+\\.$`));
      expect(message).toMatch(allowed);
    },
  );

  it("a rejected root key is not printed", () => {
    expect(readError({ LOCKKEEPER_ROOT_KEY: "hunter2" }).message).not.toContain("hunter2");
  });

  it("the first of several configuration errors is reported", () => {
    expect(readError({ PORT: "x", LOCKKEEPER_HTTP_ADAPTER: "back" }).message).toMatch(/^PORT /);
  });
});
