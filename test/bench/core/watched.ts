import { startChild } from "../child.ts";
import type { Experiment } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { listSettings } from "./contenders.ts";
import { openOurs } from "./ours.ts";
import { measurePairs } from "./pairs.ts";
import { openRaw } from "./raw.ts";

const FIGURE = "core.pairs.console";

/**
 * Pairs of acquire and release per second while a console watches every key: a Lockkeeper server in another process
 * with one live stream.
 */
export const watched: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
    const console = await startChild(run, "console.ts", [url]);
    const contenders = [await openOurs(url), await openRaw(url)];
    for (const contender of contenders) run.defer(() => contender.close());
    const quick = run.effort === "quick";
    const plan = { rounds: quick ? 3 : 9, pairs: quick ? 1500 : 20_000, inFlight: 64 };
    const line = await measurePairs(FIGURE, contenders, inspector, plan);
    const seen = await askConsole(console);
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      consoles: 1,
      console: seen,
      ...line.conditions,
      ...listSettings(contenders),
    };
    return [{ ...line, conditions }];
  },
};

/** Asks the console process what its stream received, as proof that the stream was connected. */
async function askConsole(child: Awaited<ReturnType<typeof startChild>>): Promise<unknown> {
  const answer = new Promise((resolve) => child.once("message", resolve));
  child.send("report");
  return await answer;
}
