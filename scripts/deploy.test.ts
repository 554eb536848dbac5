import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../server/config/config.ts";
import { EnvironmentVariables } from "../server/config/config-variables.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DEPLOY = join(ROOT, "deploy");
/** Maximum time from the end of the drain to the exit of the process, in milliseconds. */
const STOP_MS = 5000;
/** Environment variables that only Compose and the configuration files in `deploy` read, not Lockkeeper itself. */
const OTHER_VARIABLES = ["REDIS_PASSWORD", "SHOP_REDIS_PASSWORD"];
const SECRET = "0123456789abcdef0123456789abcdef";

const files = readdirSync(DEPLOY, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.|file$/.test(file),
);
const readText = (file: string) => readFileSync(join(DEPLOY, file), "utf8");
const readYaml = (file: string) => parse(readText(file), { merge: true });
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const deployment = readYaml("kubernetes/deployment.yaml");
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const unit = readText("systemd/lockkeeper.service");
const dockerfile = readText("docker/Dockerfile");

function readDrainMs(environment: Record<string, string>): number {
  return Number(environment.LOCKKEEPER_DRAIN_MS ?? readConfig({}, []).drainMs);
}

function readContainerEnvironment(): Record<string, string> {
  const variables: { name: string; value?: string }[] = container.env;
  return Object.fromEntries(variables.map(({ name, value }) => [name, value ?? SECRET]));
}

it.each(files)("%s names only variables that exist", (file) => {
  const names = readText(file).match(/\b(?:[A-Z]+_)?(?:LOCKKEEPER|REDIS)_[A-Z_]+\b/g) ?? [];
  const known = [...Object.keys(EnvironmentVariables.shape), ...OTHER_VARIABLES];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it("the server accepts the settings of the Deployment", () => {
  const environment = {
    ...readContainerEnvironment(),
    LOCKKEEPER_CONFIG: join(DEPLOY, "kubernetes/lockkeeper.config.json"),
    LOCKKEEPER_HOME_URL: "redis://home",
  };
  expect(readConfig(environment, []).targets).toMatchObject([{ name: "shop", environment: "production" }]);
});

it("the server accepts the configuration file of the Sentinel group", () => {
  const LOCKKEEPER_CONFIG = join(DEPLOY, "compose/sentinel.config.json");
  const { targets } = readConfig({ LOCKKEEPER_CONFIG, REDIS_PASSWORD: SECRET }, []);
  expect(targets[0].where).toMatchObject({ master: "locks", redis: `redis://:${SECRET}@master/0` });
});

it("the placeholders of the Secret are refused", () => {
  const secret = readYaml("kubernetes/secret.example.yaml").stringData;
  expect(() => readConfig({ LOCKKEEPER_ROOT_KEY: secret["root-key"] }, [])).toThrow("32 to 512 characters");
  expect(() => readConfig({ LOCKKEEPER_HOME_URL: secret["home-url"] }, [])).toThrow("must start with");
});

it("the Deployment refers to the keys of the Secret", () => {
  const references = container.env.flatMap(
    ({ valueFrom }: { valueFrom?: { secretKeyRef: { key: string } } }) =>
      valueFrom === undefined ? [] : [valueFrom.secretKeyRef.key],
  );
  expect(references.sort()).toEqual(
    Object.keys(readYaml("kubernetes/secret.example.yaml").stringData).sort(),
  );
});

it("ports agree with the default port", () => {
  const { port } = readConfig({}, []);
  expect(container.ports).toEqual([{ name: "http", containerPort: port }]);
  expect(readYaml("kubernetes/service.yaml").spec.ports).toEqual([
    { name: "http", port: 80, targetPort: "http" },
  ]);
  expect(dockerfile).toContain(`\nEXPOSE ${port}\n`);
  expect(dockerfile).toContain(`PORT=${port} `);
  expect(readText("docker/health-check.mjs")).toContain(`PORT = "${port}"`);
});

it("probes request paths that the server has", () => {
  const server = readFileSync(join(ROOT, "server/http/http-server.ts"), "utf8");
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
  expect(paths).toEqual(["/healthz", "/healthz", "/readyz"]);
  for (const path of new Set(paths)) expect(server).toContain(`"${path}"`);
});

it("a stop has time for the drain, in every file", () => {
  const kubernetesMs = pod.terminationGracePeriodSeconds * 1000;
  expect(kubernetesMs).toBeGreaterThan(readDrainMs(readContainerEnvironment()) + STOP_MS);
  const compose = readYaml("compose/lockkeeper.yaml").services.lockkeeper;
  const drainMs = readDrainMs(readYaml("compose/compose.nginx.yaml")["x-instance"]);
  expect(Number.parseInt(compose.stop_grace_period, 10) * 1000).toBeGreaterThan(drainMs + STOP_MS);
  expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1]) * 1000).toBeGreaterThan(
    readDrainMs({}) + STOP_MS,
  );
});

it("the drain is longer than the readiness probe needs to detect it", () => {
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  const drainMs = readDrainMs(readContainerEnvironment());
  expect(drainMs).toBeGreaterThan(periodSeconds * failureThreshold * 1000);
});

it("files state the version of the package", () => {
  expect(dockerfile).toContain(`\nARG VERSION=${version}\n`);
  expect(readYaml("kubernetes/kustomization.yaml").images[0].newTag).toBe(version);
  expect(readYaml("compose/lockkeeper.yaml").services.lockkeeper.image).toContain(`:-lockkeeper:${version}}`);
});

it("nginx.conf is docs/nginx/two-instances.conf with the addresses of the containers", () => {
  const tested = readFileSync(join(ROOT, "docs/nginx/two-instances.conf"), "utf8");
  const [, ...ours] = readText("compose/nginx.conf").split("\n");
  const [, , ...expected] = tested
    .replaceAll("127.0.0.1:3000", "lockkeeper-1:3000")
    .replaceAll("127.0.0.1:3001", "lockkeeper-2:3000")
    .split("\n");
  expect(ours).toEqual(expected);
});

it("services that a compose file extends have the same Redis settings", () => {
  const [plain, nginx] = ["compose.yaml", "compose.nginx.yaml"].map((file) => readYaml(`compose/${file}`));
  expect(nginx.configs).toEqual(plain.configs);
});

it("no file contains a secret", () => {
  for (const file of files.filter((name) => !name.endsWith(".mjs")))
    expect(readText(file)).not.toMatch(
      /(?:password|key|requirepass|auth-pass \w+)[:= ]+["']?[0-9a-zA-Z]{16,}/i,
    );
});
