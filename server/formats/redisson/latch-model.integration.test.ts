import { randomUUID } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { LatchScripts } from "./latch-scripts.ts";
import { buildLatchChannel } from "./redisson-keys.ts";

const it = redisTest()
  .extend("messages", { scope: "file" }, () => new Map<string, string[]>())
  .extend("listener", { scope: "file" }, ({ redis, messages }) => {
    const listener = redis.createClient();
    listener.on("message", (channel, message) =>
      messages.set(channel, [...(messages.get(channel) ?? []), message]),
    );
    return listener;
  });

const step = fc.oneof(
  fc.record({ do: fc.constant("set"), count: fc.integer({ min: 1, max: 3 }), id: fc.nat(3) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("count_down"), id: fc.nat(3) }) },
  fc.record({ do: fc.constantFrom("new_ids", "jvm_count_down", "evict") }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs steps on a latch in Redis and on a model of its count, requests and messages. */
class LatchMachine {
  readonly key = `latch:${randomUUID()}`;
  readonly sent: string[] = [];
  #count = 0;
  #generation = 0;
  #openedUs = 0;
  readonly #requests = new Map<string, { readonly content: string; readonly count: number }>();

  constructor(
    private readonly direct: Redis,
    private readonly scripts: LatchScripts,
  ) {}

  async run(each: Step): Promise<void> {
    await this.#perform(each);
    const seen = await this.scripts.read(this.direct, this.key);
    expect(seen).toMatchObject({ outcome: "count", count: this.#count });
    expect(await this.direct.exists(this.key)).toBe(this.#count > 0 ? 1 : 0);
    if ("openedUs" in seen) expect(seen.openedUs).toBeGreaterThanOrEqual(this.#openedUs);
  }

  async #perform(each: Step): Promise<void> {
    if (each.do === "new_ids") this.#generation++;
    if (each.do === "evict") {
      this.#count = 0;
      await this.direct.del(this.key);
    }
    if (each.do === "jvm_count_down" && this.#count > 0) await this.#countDownAsJvm();
    if (each.do === "set" && "count" in each) await this.#set(each.count, `${this.#generation}.${each.id}`);
    if (each.do === "count_down" && "id" in each) await this.#countDown(`${this.#generation}.${each.id}`);
  }

  /**
   * Returns the count that an earlier request with this id set; `reused` if that request had other content; `undefined`
   * if there was none.
   */
  #findRequest(id: string, content: string): number | "reused" | undefined {
    const earlier = this.#requests.get(id);
    if (earlier === undefined) return undefined;
    return earlier.content === content ? earlier.count : "reused";
  }

  async #set(count: number, id: string): Promise<void> {
    const earlier = this.#findRequest(id, `set ${count}`);
    const reply = await this.scripts.setCount(this.direct, this.key, count, { id, digest: `s${count}` });
    if (earlier === "reused") return expect(reply.outcome).toBe("request_id_reused");
    if (earlier !== undefined) return expect(reply).toMatchObject({ outcome: "set", count: earlier });
    if (this.#count > 0) return expect(reply).toMatchObject({ outcome: "already_set", count: this.#count });
    expect(reply).toMatchObject({ outcome: "set", count });
    this.#requests.set(id, { content: `set ${count}`, count });
    this.#count = count;
    this.sent.push("1");
  }

  async #countDown(id: string): Promise<void> {
    const earlier = this.#findRequest(id, "count_down");
    const reply = await this.scripts.countDown(this.direct, this.key, { id, digest: "d" });
    if (earlier === "reused") return expect(reply.outcome).toBe("request_id_reused");
    if (earlier !== undefined) return expect(reply).toMatchObject({ outcome: "counted", count: earlier });
    if (this.#count > 0) {
      this.#count--;
      this.#requests.set(id, { content: "count_down", count: this.#count });
      if (this.#count === 0) {
        this.sent.push("0");
        const before = this.#openedUs;
        const seen = await this.scripts.read(this.direct, this.key);
        this.#openedUs = "openedUs" in seen ? seen.openedUs : 0;
        expect(this.#openedUs).toBeGreaterThan(before);
      }
    }
    expect(reply).toMatchObject({ outcome: "counted", count: this.#count });
  }

  /** Counts down with the commands that Redisson sends. */
  async #countDownAsJvm(): Promise<void> {
    this.#count--;
    if (this.#count > 0) return void (await this.direct.decr(this.key));
    await this.direct
      .multi()
      .del(this.key)
      .publish(String(buildLatchChannel(this.key)), "0")
      .exec();
    this.sent.push("0");
  }
}

interface Bench {
  readonly direct: Redis;
  readonly listener: Redis;
  readonly messages: ReadonlyMap<string, string[]>;
}

const checkModel = (
  { direct, listener, messages }: Bench,
  scripts: LatchScripts,
  runs: number,
  seed?: number,
) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: "max" }), async (steps) => {
      const machine = new LatchMachine(direct, scripts);
      const channel = String(buildLatchChannel(machine.key));
      await listener.subscribe(channel);
      for (const each of steps) await machine.run(each);
      // All messages arrive before the reply to UNSUBSCRIBE.
      await listener.unsubscribe(channel);
      expect(messages.get(channel) ?? []).toEqual(machine.sent);
    }),
    {
      numRuns: runs,
      interruptAfterTimeLimit: 60_000,
      ...(seed === undefined ? {} : { seed, endOnFailure: true }),
    },
  );

it("Redis equals the model after each random set, count-down, repeated request and call of a JVM", {
  timeout: 90_000,
}, async ({ direct, listener, messages }) => {
  await checkModel({ direct, listener, messages }, new LatchScripts(), 60);
});

it("an opening is later than the last one, also if the clock was set back since", async ({ direct }) => {
  const key = `latch:${randomUUID()}`;
  const scripts = new LatchScripts();
  const aheadUs = (Date.now() + 60_000) * 1000;
  await direct.set(`lockkeeper:latch:{${key}}`, aheadUs);
  await scripts.setCount(direct, key, 1, { id: "1", digest: "s" });
  await scripts.countDown(direct, key, { id: "2", digest: "d" });
  expect(await scripts.read(direct, key)).toMatchObject({ count: 0, openedUs: aheadUs + 1 });
});

const MUTANTS = [
  {
    what: "a repeated request counts twice",
    file: "count-down.lua",
    from: "remember_latch_request(2, 'count_down', ARGV[1], format_integer(count - 1))",
    to: "",
  },
  {
    what: "a closed latch gets a new count",
    file: "set-count.lua",
    from: "if state == 'closed' then return",
    to: "if false then return",
  },
  {
    what: "an opened latch wakes no client",
    file: "count-down.lua",
    from: "publish_latch(ARGV[2], '0', ARGV[3] == '1')",
    to: "",
  },
] as const;

it.for(MUTANTS)(
  "the model notices that $what",
  { timeout: 90_000 },
  async ({ file, from, to }, { direct, listener, messages, onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), "lockkeeper-mutant-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const formats = fileURLToPath(new URL("../", import.meta.url));
    await cp(formats, folder, { recursive: true, filter: (path) => !path.endsWith(".ts") });
    const path = join(folder, "redisson/latch", file);
    const source = await readFile(path, "utf8");
    expect(source).toContain(from);
    await writeFile(path, source.replace(from, to));
    const scripts = new LatchScripts(pathToFileURL(`${folder}/redisson/latch/`));
    await expect(checkModel({ direct, listener, messages }, scripts, 300, 2026)).rejects.toThrow();
  },
);
