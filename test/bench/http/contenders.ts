import type { Facts, Run } from "../figure.ts";
import { progress } from "../progress.ts";
import type { HttpContender, NodeContender } from "./contender.ts";
import { installed, variableOf } from "./installed.ts";
import { arePagesBuilt, bare, next, ours } from "./node-servers.ts";
import { etcd, webdis } from "./other-servers.ts";

export interface HttpContenders {
  readonly ours: NodeContender;
  readonly bare: NodeContender;
  readonly others: readonly HttpContender[];
  /** Who was left out, and why. */
  readonly leftOut: Facts;
}

export async function openHttpContenders(
  run: Run,
  who: "everybody" | "ours and bare",
): Promise<HttpContenders> {
  const isNextWanted = who === "everybody" && arePagesBuilt();
  const [first, second, ...others] = await Promise.all([
    ours(run),
    bare(run),
    ...(isNextWanted ? [next(run)] : []),
  ]);
  const contenders = { ours: first, bare: second, others, leftOut: {} };
  return who === "everybody" ? await withOthers(run, contenders) : contenders;
}

async function withOthers(run: Run, { others, ...own }: HttpContenders): Promise<HttpContenders> {
  const all = [...others];
  const leftOut: Record<string, string> = {};
  if (all.length === 0) leftOut.next = "the pages are not built: node scripts/setup.mjs build";
  for (const [name, open] of Object.entries({ etcd, webdis })) {
    const binary = installed(name);
    if (binary === undefined) leftOut[name] = `there is no ${name} on PATH; ${variableOf(name)} may name one`;
    else all.push(await open(run, binary));
  }
  for (const [name, why] of Object.entries(leftOut)) progress(`${name} is left out: ${why}`);
  return { ...own, others: all, leftOut };
}
