import type { Facts, Run } from "../figure.ts";
import { progress } from "../progress.ts";
import type { HttpContender } from "./contender.ts";
import { installed, variableOf } from "./installed.ts";
import { arePagesBuilt, bare, next, ours } from "./node-servers.ts";
import { etcd, webdis } from "./other-servers.ts";

export interface HttpContenders {
  /** Ours first. */
  readonly all: readonly HttpContender[];
  /** Who was left out, and why. */
  readonly leftOut: Facts;
}

export async function openHttpContenders(run: Run): Promise<HttpContenders> {
  const leftOut: Record<string, string> = {};
  const all: HttpContender[] = await Promise.all([ours(run), bare(run)]);
  if (arePagesBuilt()) all.push(await next(run));
  else leftOut.next = "the pages are not built: node scripts/setup.mjs build";
  for (const [name, open] of Object.entries({ etcd, webdis })) {
    const binary = installed(name);
    if (binary === undefined) leftOut[name] = `there is no ${name} on PATH; ${variableOf(name)} may name one`;
    else all.push(await open(run, binary));
  }
  for (const [name, why] of Object.entries(leftOut)) progress(`${name} is left out: ${why}`);
  return { all, leftOut };
}
