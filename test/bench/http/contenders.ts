import type { Facts, Run } from "../figure.ts";
import { formatReason } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import type { HttpContender, NodeContender } from "./contender.ts";
import { arePagesBuilt, startBare, startNext, startOurs } from "./node-servers.ts";
import { startEtcd, startWebdis } from "./other-servers.ts";
import { findProgram, type Program } from "./programs.ts";

export interface HttpContenders {
  readonly ours: NodeContender;
  readonly bare: NodeContender;
  readonly others: readonly HttpContender[];
  /** Names of the contenders that are not available on this machine, with the reason. */
  readonly leftOut: Facts;
  /** Names of the contenders that are available but did not start, with the reason. */
  readonly failed: Readonly<Record<string, string>>;
}

const PROGRAMS = { etcd: startEtcd, webdis: startWebdis };

export async function openHttpContenders(
  run: Run,
  who: "everybody" | "ours and bare",
): Promise<HttpContenders> {
  const [first, second] = await Promise.all([startOurs(run), startBare(run)]);
  const others: HttpContender[] = [];
  const leftOut: Record<string, string> = {};
  const failed: Record<string, string> = {};
  const open = async (name: string, start: () => Promise<HttpContender>) => {
    try {
      others.push(await start());
    } catch (error) {
      failed[name] = formatReason(error);
    }
  };
  if (who === "everybody") {
    if (process.env.LOCKKEEPER_BENCH_NEXT === "none") leftOut.next = "LOCKKEEPER_BENCH_NEXT is none";
    else if (arePagesBuilt()) await open("next", () => startNext(run));
    else leftOut.next = "the pages are not built: run `node scripts/setup.mjs build`";
    for (const [name, start] of Object.entries(PROGRAMS)) {
      const found = await findProgram(name as Program);
      if ("missing" in found) leftOut[name] = found.missing;
      else await open(name, () => start(run, found.path));
    }
  }
  for (const [name, why] of Object.entries(leftOut)) reportProgress(`${name} is left out: ${why}`);
  for (const [name, why] of Object.entries(failed)) reportProgress(`${name} failed: ${why}`);
  return { ours: first, bare: second, others, leftOut, failed };
}
