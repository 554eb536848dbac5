// npm run prove:package: packs @lockkeeper/redis and @lockkeeper/client, installs each tarball in an empty folder, and
// runs and compiles programs that use the package as an application would: on Node 20 and 24, without a loader. Also
// packs lockkeeper, which `npm run prove:install` installs and runs.
import { startTestRedis } from "../test/support/test-redis.ts";
import { ROOT_KEY, startTestServer } from "../test/support/test-server.ts";
import { packClient } from "./pack/client-package.mjs";
import { packLockkeeper } from "./pack/lockkeeper-package.mjs";
import { packRedisLibrary } from "./pack/redis-package.mjs";
import { check, expectSame, summary } from "./prove/checks.mjs";
import { installPackage, proveExample, proveTypes } from "./prove/package-proof.mjs";

const KEY = "lock:orders:42";
/** The expected output of the example of each package. */
const PRINTED = /^Acquired lock:orders:42, fencing token \d+\nRefused: held\nReleased\n$/;

/** @param {import("../test/support/test-redis.ts").TestRedis} redis */
async function expectReleased(redis) {
  expectSame(await redis.createClient().exists(KEY), 0, `EXISTS ${KEY}`);
}

async function proveRedis() {
  const app = await installPackage("redis", packRedisLibrary);
  if (app === undefined) return;
  const redis = await startTestRedis();
  try {
    const env = { REDIS_URL: redis.url };
    await proveExample("redis", app, { env, printed: PRINTED, afterwards: () => expectReleased(redis) });
  } finally {
    await redis.stop();
  }
  await proveTypes(app, "package-consumer.mts", "node");
}

async function proveClient() {
  const app = await installPackage("client", packClient);
  if (app === undefined) return;
  const server = await startTestServer();
  try {
    const env = { LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY };
    const afterwards = () => expectReleased(server.redis);
    await proveExample("client", app, { env, printed: PRINTED, afterwards });
  } finally {
    await server.stop();
  }
  // The browser types must be checked before @types/node is installed in the same folder.
  await proveTypes(app, "client-consumer.mts", "browser");
  await proveTypes(app, "client-consumer.mts", "node");
}

await proveRedis();
await proveClient();
await check("lockkeeper is packed with its Lua scripts", async () => {
  const { scripts } = await packLockkeeper();
  if (scripts === 0) throw new Error("the tarball has no Lua script");
});
const { line, ok } = summary();
console.log(`\n${line}`);
process.exit(ok ? 0 : 1);
