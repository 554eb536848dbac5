import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeKeyPath } from "../../../lib/keys/key.ts";
import { createGuide } from "../../../lib/snippets/guide/guide.ts";
import { ROOT_KEY, startTestServer, type TestServer } from "../../support/test-server.ts";
import { kill, start } from "../children.ts";
import { GUIDE, type Runner, waitForOutput, withTempDir } from "./language-run.ts";

/** Shorter than the work, so that without renewals it would be lost; renewed at a third of it. */
const LEASE_MS = 5000;
const ENDS_WITHIN_MS = 30_000;

/** The program does its work under the lock; stops when that is lost; and does none when it does not get it. */
export async function expectSafe(runner: Runner): Promise<void> {
  const server = await startTestServer();
  const tell = (steps: number) => new GuideScenarios(runner, server, steps);
  try {
    await Promise.all([tell(4).expectCompletion(), tell(20).expectLossNoticed(), tell(1).expectRefusal()]);
  } finally {
    await server.stop();
  }
}

class GuideScenarios {
  readonly #key = `lock:guide:${randomUUID()}`;

  constructor(
    private readonly runner: Runner,
    private readonly server: TestServer,
    private readonly steps: number,
  ) {}

  async expectCompletion(): Promise<void> {
    const output = await this.#run(/released|lost/);
    const { holders } = (await this.#callLock("")).body;
    const wrong = !output.includes(`step ${this.steps} with fence`) || !output.includes("released");
    if (wrong || holders.length > 0) throw new Error(`It did not do its work and release:\n${output}`);
    this.#expectFences(output);
  }

  async expectLossNoticed(): Promise<void> {
    const output = await this.#run(/lost: stopped|released/, async (said) => {
      if (said.includes("step 2 ")) await this.server.redis.createClient().del(this.#key);
    });
    const wrong = !output.includes("lost: stopped") || output.includes(`step ${this.steps} `);
    if (wrong) throw new Error(`It did not stop when the lock was lost:\n${output}`);
  }

  async expectRefusal(): Promise<void> {
    await this.#callLock("/acquire", { owner: "somebody else", leaseMs: 60_000 });
    const output = await this.#run(/not acquired/);
    if (output.includes("step")) throw new Error(`It worked without the lock:\n${output}`);
  }

  async #callLock(verb: string, body?: object) {
    return await this.server.call(
      `/locks/${encodeKeyPath(this.#key)}${verb}`,
      body === undefined ? {} : { body },
    );
  }

  #expectFences(output: string): void {
    const fences = new Set([...output.matchAll(/fence (\d+)/g)].map(([, fence]) => fence));
    if (fences.size !== 1) throw new Error(`It had one hold, and wrote with other fences:\n${output}`);
  }

  /** @param during told all that was said so far, each time something is */
  async #run(until: RegExp, during?: (said: string) => Promise<void>): Promise<string> {
    return await withTempDir(async (dir) => {
      const { runner, steps } = this;
      const options = {
        origin: this.server.url,
        key: this.#key,
        leaseMs: LEASE_MS,
        waitMs: 500,
        steps,
        stepMs: 1500,
      };
      await writeFile(join(dir, runner.getFileName(GUIDE)), createGuide(runner.language, options));
      await runner.compile?.(dir);
      const [command, ...args] = runner.command(dir, GUIDE);
      const env = { ...process.env, LOCKKEEPER_KEY: ROOT_KEY };
      const child = start(command, args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        void during?.(said);
      });
      try {
        return await waitForOutput(child, until, ENDS_WITHIN_MS);
      } finally {
        kill(child);
      }
    });
  }
}
