import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import type { Hold } from "../../lib/contract/actions/verb.ts";
import { TestBrowser } from "../../test/support/test-browser.ts";
import { ROOT_KEY, type TestServer, waitUntil } from "../../test/support/test-server.ts";
import { TestStream } from "../../test/support/test-stream.ts";

const CHECK_MS = 250;
const LEASE_MS = 600_000;
const PASSWORD = "correct horse battery";
/** Keys of the locks that are acquired through the API, by format. */
const ACQUIRED = {
  redisson: "lock:seed:redisson",
  token: "lock:seed:token",
  timestamp: "lock:seed:timestamp",
};
/** Redis commands that create locks in the formats of other libraries, and one key that is not a lock. */
const FOREIGN: readonly (readonly [command: string, ...args: string[]])[] = [
  ["SET", "lock:seed:foreign-token", randomUUID(), "PX", String(LEASE_MS)],
  ["HSET", "lock:seed:foreign-redisson", `${randomUUID()}:1`, "2"],
  ["ZADD", "lock:seed:semaphore", String(Date.now()), randomUUID()],
  ["SET", "lock:seed:no-ttl", "worker-1"],
  ["SET", "lock:seed:data", JSON.stringify({ total: 3 })],
];

/** The values that scripts/prove/api_hooks.py inserts into generated requests. */
interface Seeds {
  readonly url: string;
  readonly apiKey: string;
  readonly keys: readonly string[];
  readonly holdIds: readonly string[];
  readonly operator: { readonly name: string; readonly password: string };
  readonly apiKeyId: string;
  readonly cookie: string;
  readonly sessionId: string;
  readonly liveStreamId: string;
}

/**
 * Provides the resources that generated requests use: locks, an operator, an API key, a browser session and a live
 * stream. Writes them to `file`, and replaces those that a generated request ends.
 *
 * @returns a function that stops the replacement and closes the stream
 */
export async function keepSeeds(server: TestServer, file: string): Promise<() => Promise<void>> {
  const stream = await TestStream.open(server, "/live");
  await waitUntil(() => stream.messages.length > 0);
  const seeds = new SeedKeeper(server, file, stream.messages[0]?.data.stream);
  await seeds.refresh();
  const stop = repeat(() => seeds.refresh());
  return async () => {
    stream.leave();
    await stop();
  };
}

class SeedKeeper {
  readonly #redis: ReturnType<TestServer["redis"]["createClient"]>;
  readonly #browser: TestBrowser;
  readonly #holds = new Map<string, Hold>();
  #operator = "";
  #apiKeyId = "";
  #sessionId = "";

  constructor(
    private readonly server: TestServer,
    private readonly file: string,
    private readonly liveStreamId: string,
  ) {
    this.#redis = server.redis.createClient();
    this.#browser = new TestBrowser(server);
  }

  /**
   * Replaces the resources that generated requests have ended and writes the file.
   *
   * @throws if a generated request interferes
   */
  async refresh(): Promise<void> {
    await this.#refreshLocks();
    await this.#refreshAccounts();
    const seeds: Seeds = {
      url: this.server.url,
      apiKey: ROOT_KEY,
      keys: [...Object.values(ACQUIRED), ...FOREIGN.map(([, key]) => key ?? "")],
      holdIds: [...this.#holds.values()].map(({ holdId }) => holdId),
      operator: { name: this.#operator, password: PASSWORD },
      apiKeyId: this.#apiKeyId,
      cookie: this.#browser.cookie ?? "",
      sessionId: this.#sessionId,
      liveStreamId: this.liveStreamId,
    };
    await writeFile(`${this.file}.new`, JSON.stringify(seeds));
    await rename(`${this.file}.new`, this.file);
  }

  async #refreshLocks(): Promise<void> {
    for (const [command, ...args] of FOREIGN) {
      if ((await this.#redis.exists(args[0] ?? "")) === 0) await this.#redis.call(command, ...args);
    }
    for (const [format, key] of Object.entries(ACQUIRED)) {
      const { status, body } = await this.server.callVerb(key, "acquire", { format, leaseMs: LEASE_MS });
      if (status === 201) this.#holds.set(key, body);
    }
  }

  async #refreshAccounts(): Promise<void> {
    const apiKey = await this.server.call(`/keys/${this.#apiKeyId}`);
    if (apiKey.body.revokedAt !== null) this.#apiKeyId = await addApiKey(this.server);
    if ((await this.#browser.send("/session")).status !== 401) return;
    // A new operator, because a generated request may have changed the password of the previous one.
    this.#operator = await addOperator(this.server);
    await this.#browser.logIn({ name: this.#operator, password: PASSWORD });
    const sessions = await this.#browser.send("/browser-sessions");
    this.#sessionId = sessions.body.items[0].id;
  }
}

async function addOperator(server: TestServer): Promise<string> {
  const name = `seeded-${randomUUID()}`;
  const body = { name, password: PASSWORD, roles: { "*": "admin" } };
  const { status } = await server.call("/operators", { body });
  if (status !== 201) throw new Error(`Could not create an operator: ${status}`);
  return name;
}

async function addApiKey(server: TestServer): Promise<string> {
  const { body } = await server.call("/keys", { body: { name: `seeded-${randomUUID()}`, verbs: ["read"] } });
  return body.id;
}

/**
 * Repeats `work` with pauses until the returned function is called. Failures are ignored because generated requests
 * interfere.
 */
function repeat(work: () => Promise<void>): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let isStopped = false;
  const schedule = () => {
    timer = setTimeout(() => {
      running = work()
        .catch(() => undefined)
        .then(() => (isStopped ? undefined : schedule()));
    }, CHECK_MS);
  };
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
