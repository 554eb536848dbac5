// npm run prove:deploy: checks the files in deploy with the programs and types that read them: kubectl, the Go types of
// Kubernetes, the loader of Compose, systemd-analyze and Redis. Checks whose program is missing are skipped.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startTestRedis } from "../test/support/test-redis.ts";
import { check, expectSame, summary } from "./prove/checks.mjs";
import { findTool, runTool, skip } from "./prove/tools.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DEPLOY = join(ROOT, "deploy");
const MANIFESTS = join(ROOT, "scripts/prove/manifests");
/**
 * Maximum exposure score from `systemd-analyze security`, from 0 (protected) to 10 (exposed). Scores below 2 are rated
 * "OK" or better.
 */
const EXPOSURE_MAX = 2;
const PASSWORD = "0123456789abcdef0123456789abcdef";
const COMPOSE_FILES = ["compose.yaml", "compose.sentinel.yaml", "compose.nginx.yaml"];
const COMPOSE_VARIABLES = {
  REDIS_PASSWORD: PASSWORD,
  LOCKKEEPER_ROOT_KEY: PASSWORD,
  LOCKKEEPER_PUBLIC_URL: "https://locks.example.com",
};

const go = findTool("go", ["/usr/local/go/bin", "/usr/lib/go/bin"]);
const kubectl = findTool("kubectl");
const folder = mkdtempSync(join(tmpdir(), "lockkeeper-deploy-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
/** Path of the compiled Go program in scripts/prove/manifests, which decodes Kubernetes manifests. */
const decoder = join(folder, "manifests");

/** @param {string} name */
function readDeployFile(name) {
  return readFileSync(join(DEPLOY, name), "utf8");
}

/** @param {string} manifests */
function decode(manifests) {
  const output = runTool(decoder, ["kubernetes"], { input: manifests });
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function buildDecoder() {
  if (go === undefined) {
    skip("the Go types of Kubernetes and Compose", "this machine has no Go");
    return false;
  }
  return check("the decoder compiles", () => {
    runTool(go, ["build", "-o", decoder, "."], { cwd: MANIFESTS });
  });
}

async function proveManifests() {
  const examples = ["secret.example.yaml", "ingress.example.yaml"];
  for (const name of examples) {
    await check(`kubernetes/${name} decodes strictly`, () => {
      expectSame(decode(readDeployFile(`kubernetes/${name}`)).length, 1, "the number of objects");
    });
  }
  await check("a misspelled field is rejected", () => {
    const misspelled = readDeployFile("kubernetes/deployment.yaml").replace("readinessProbe", "readyProbe");
    try {
      decode(misspelled);
    } catch (error) {
      if (error instanceof Error && error.message.includes('unknown field "readyProbe"')) return;
      throw error;
    }
    throw new Error("it was accepted");
  });
}

async function proveKustomization() {
  if (kubectl === undefined) return skip("the kustomization", "this machine has no kubectl");
  const rendered = runTool(kubectl, ["kustomize", join(DEPLOY, "kubernetes")]);
  await check("kubectl kustomize renders objects that decode strictly", () => {
    const objects = decode(rendered);
    const kinds = objects.map(({ kind }) => kind).sort();
    expectSame(
      kinds,
      ["ConfigMap", "Deployment", "Namespace", "PodDisruptionBudget", "Service"],
      "the kinds",
    );
    const { name } = objects.find(({ kind }) => kind === "ConfigMap").metadata;
    const { volumes } = objects.find(({ kind }) => kind === "Deployment").spec.template.spec;
    expectSame(volumes[0].configMap.name, name, "the ConfigMap of the Deployment");
    return `${kinds.join(", ")}`;
  });
}

async function proveCompose() {
  for (const name of COMPOSE_FILES) {
    const file = join(DEPLOY, "compose", name);
    await check(`compose/${name} loads`, async () => {
      const project = JSON.parse(runTool(decoder, ["compose", file], { env: COMPOSE_VARIABLES }));
      await proveRedisConfig(project.configs["redis.conf"].content);
      return Object.keys(project.services).join(", ");
    });
    await check(`compose/${name} without a password is refused`, () => {
      try {
        runTool(decoder, ["compose", file], { env: { ...COMPOSE_VARIABLES, REDIS_PASSWORD: "" } });
      } catch (error) {
        if (String(error).includes("set REDIS_PASSWORD")) return;
        throw error;
      }
      throw new Error("it was accepted");
    });
  }
}

/** Starts a Redis server with the settings of a Compose file. @param {string} config */
async function proveRedisConfig(config) {
  const args = config
    .split("\n")
    .filter((line) => /^[a-z]/.test(line))
    .flatMap((line) => {
      const [name = "", ...values] = line.split(" ");
      return [`--${name}`, ...values];
    });
  const redis = await startTestRedis({ args, password: PASSWORD });
  try {
    const client = redis.createClient();
    const [, enabled = ""] = /** @type {string[]} */ (await client.config("GET", "notify-keyspace-events"));
    expectSame([...enabled].sort(), [..."Kghszxe$"].sort(), "the notifications");
  } finally {
    await redis.stop();
  }
}

async function proveSentinelGroup() {
  const name = "the services of compose.sentinel.yaml survive the loss of their master and a restart";
  const missing = ["unshare", "ip", "mount"].filter((tool) => findTool(tool) === undefined);
  if (process.getuid?.() !== 0 || missing.length > 0) return skip(name, "it needs root, unshare and ip");
  await check(name, () => {
    const project = join(folder, "project.json");
    const file = join(DEPLOY, "compose/compose.sentinel.yaml");
    writeFileSync(project, runTool(decoder, ["compose", file], { env: COMPOSE_VARIABLES }));
    const group = join(folder, "group");
    mkdirSync(group);
    const namespaces = ["--net", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child=SIGKILL"];
    const script = ["--import", "tsx", join(ROOT, "scripts/prove/sentinel-group.ts"), project, group];
    return runTool("unshare", [...namespaces, process.execPath, ...script], {
      cwd: ROOT,
      env: COMPOSE_VARIABLES,
    }).trim();
  });
}

async function proveSystemd() {
  const analyze = findTool("systemd-analyze");
  if (analyze === undefined) return skip("the systemd unit", "this machine has no systemd-analyze");
  const root = join(folder, "root");
  const unit = "etc/systemd/system/lockkeeper.service";
  for (const name of ["etc/systemd/system", "opt/lockkeeper/bin", "usr/lib"])
    mkdirSync(join(root, name), { recursive: true });
  cpSync("/usr/lib/systemd", join(root, "usr/lib/systemd"), { recursive: true });
  cpSync(join(DEPLOY, "systemd/lockkeeper.service"), join(root, unit));
  writeFileSync(join(root, "opt/lockkeeper/bin/lockkeeper"), "");
  chmodSync(join(root, "opt/lockkeeper/bin/lockkeeper"), 0o755);
  await check("systemd-analyze verify accepts the unit", () => {
    runTool(analyze, [`--root=${root}`, "verify", "lockkeeper.service"]);
  });
  await check(`systemd-analyze security rates its exposure below ${EXPOSURE_MAX}`, () => {
    const threshold = `--threshold=${EXPOSURE_MAX * 10}`;
    const output = runTool(analyze, [
      `--root=${root}`,
      "--offline=true",
      threshold,
      "security",
      "lockkeeper.service",
    ]);
    return /Overall exposure level for lockkeeper.service: ([\d.]+ \w+)/.exec(output)?.[1];
  });
}

if (await buildDecoder()) {
  await proveManifests();
  await proveKustomization();
  await proveCompose();
  await proveSentinelGroup();
}
await proveSystemd();
const { line, ok } = summary();
console.log(`\n${line}`);
process.exit(ok ? 0 : 1);
