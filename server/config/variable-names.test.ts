import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { StartupError } from "../errors/startup-error.ts";
import { readConfig } from "./config.ts";
import { EnvironmentVariables } from "./config-variables.ts";

const read = (environment: Record<string, string>) => readConfig(environment, []);

describe("names of variables", () => {
  it.each([
    ["LOCKKEEPER_WACTH", "LOCKKEEPER_WATCH"],
    ["LOCKKEEPER_LOCKABEL", "LOCKKEEPER_LOCKABLE"],
    ["LOCKKEEPER_TRUSTED_PROXY", "LOCKKEEPER_TRUSTED_PROXIES"],
    ["LOCKKEEPER_ROOTKEY", "LOCKKEEPER_ROOT_KEY"],
    ["lockkeeper_watch", "LOCKKEEPER_WATCH"],
    ["LOCKEEPER_WATCH", "LOCKKEEPER_WATCH"],
    ["LOCK_KEEPER_WATCH", "LOCKKEEPER_WATCH"],
  ])("%s is refused with the nearest name %s", (name, nearest) => {
    const failure = () => read({ [name]: "secret-value" });
    expect(failure).toThrow(StartupError);
    expect(failure).toThrow(
      `${name} (did you mean ${nearest}?) is not a setting of Lockkeeper. Correct or unset it.`,
    );
  });

  it("several unknown names are refused together, without a guess where none is near", () => {
    expect(() => read({ LOCKKEEPER_FLUX_CAPACITOR: "1", LOCKKEEPER_LOGS: "warn" })).toThrow(
      "LOCKKEEPER_FLUX_CAPACITOR, LOCKKEEPER_LOGS (did you mean LOCKKEEPER_LOG?) are not settings of Lockkeeper. Correct or unset them.",
    );
  });

  it("every setting of the schema and what clients, tests and benchmarks read is accepted", () => {
    const others = ["LOCKKEEPER_URL", "LOCKKEEPER_API_KEY", "LOCKKEEPER_BENCH_ETCD", "LOCKKEEPER_E2E_TRACE"];
    // Empty variables count as unset, so this test covers only their names. Another test covers their values.
    const settings = Object.keys(EnvironmentVariables.shape).map((name) => [name, ""]);
    const environment = Object.fromEntries([...settings, ...others.map((name) => [name, "x"])]);
    expect(read({ ...environment, LOCKKEEPERS: "x", OTHER: "x" }).port).toBe(3000);
  });

  it("the service links of Kubernetes are ignored, also one that has the name of a setting", () => {
    const { embeddedRedisPort } = read({
      LOCKKEEPER_SERVICE_HOST: "10.0.0.1",
      LOCKKEEPER_SERVICE_PORT: "80",
      LOCKKEEPER_SERVICE_PORT_HTTP: "80",
      LOCKKEEPER_PORT: "tcp://10.0.0.1:80",
      LOCKKEEPER_PORT_80_TCP: "tcp://10.0.0.1:80",
      LOCKKEEPER_PORT_80_TCP_PROTO: "tcp",
      LOCKKEEPER_PORT_80_TCP_ADDR: "10.0.0.1",
      LOCKKEEPER_PORT_80_TCP_PORT: "80",
      LOCKKEEPER_REDIS_SERVICE_HOST: "10.0.0.2",
      LOCKKEEPER_REDIS_PORT: "tcp://10.0.0.2:6379",
      LOCKKEEPER_REDIS_PORT_6379_TCP_PORT: "6379",
    });
    expect(embeddedRedisPort).toBe(6399);
    expect(() => read({ LOCKKEEPER_PORT: "8080" })).toThrow("LOCKKEEPER_PORT");
  });

  it("a name that the configuration file refers to is accepted", async () => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-names-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    const path = join(dir, "config.json");
    const redis = `redis://:\${LOCKKEEPER_SHOP_PASSWORD}@127.0.0.1`;
    await writeFile(path, JSON.stringify({ targets: [{ name: "shop", redis }] }));
    const environment = { LOCKKEEPER_CONFIG: path, LOCKKEEPER_SHOP_PASSWORD: "s3cret" };
    expect(read(environment).targets[0].where).toBe("redis://:s3cret@127.0.0.1");
    expect(() => read({ ...environment, LOCKKEEPER_SHOP_PASWORD: "s3cret" })).toThrow(
      "LOCKKEEPER_SHOP_PASWORD is not a setting",
    );
  });
});
