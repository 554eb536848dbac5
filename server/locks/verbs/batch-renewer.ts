import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import type { RenewReply } from "../../formats/script-replies.ts";
import { computeSlot } from "../../redis/cluster/slot.ts";
import type { Commands } from "../../redis/commands.ts";
import { isKeyRefusal } from "../../redis/failure.ts";
import { toRedisArgument } from "../../redis/script.ts";
import { attempt, toVerbError } from "./attempt.ts";
import type { Grant } from "./contract/grant.ts";
import type { RenewalTarget } from "./contract/verbs.ts";
import { readRenewal } from "./error-factories.ts";
import { assertCallerTexts } from "./input/caller-texts.ts";
import { assertDurations } from "./input/durations.ts";
import type { LockableKeys } from "./lockable-keys.ts";
import type { GuardedCommands } from "./safety.ts";

/** Maximum number of holds that one script call renews. Such a call occupies Redis for about 2 ms. */
const SCRIPT_HOLDS_MAX = 100;

type Settled = PromiseSettledResult<Grant>;

/** Renews many holds in few script calls. An error for one hold does not affect the others. */
export class BatchRenewer {
  constructor(
    private readonly redis: Commands,
    private readonly channel: string,
    private readonly lockable: LockableKeys,
    private readonly getGuardedCommands: () => GuardedCommands,
    private readonly renewAlone: (hold: RenewalTarget) => Promise<Grant>,
  ) {}

  /** Renews the holds, and returns their results in the same order as `holds`. Never rejects. */
  async renew(holds: readonly RenewalTarget[]): Promise<Settled[]> {
    const results = new Map<RenewalTarget, Settled>();
    const groups = new Map<string, RenewalTarget[]>();
    for (const hold of holds) {
      try {
        this.#assertValid(hold);
      } catch (reason) {
        results.set(hold, { status: "rejected", reason });
        continue;
      }
      const name = this.#buildGroupName(hold);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [hold]);
      else group.push(hold);
    }
    const scripts = [...groups.values()].flatMap(splitGroup);
    await Promise.all(
      scripts.map(async (group) => {
        const settled = await this.#renewGroup(group);
        for (const [at, hold] of group.entries()) results.set(hold, settled[at] ?? MISSING);
      }),
    );
    return holds.map((hold) => results.get(hold) ?? MISSING);
  }

  #assertValid({ key, leaseMs, principal }: RenewalTarget): void {
    this.lockable.assertAllowed(key);
    assertDurations({ leaseMs });
    assertCallerTexts({ principal });
  }

  #buildGroupName({ format, kind = "lock", key, principal = "" }: RenewalTarget): string {
    const slot = this.redis.isCluster === true ? computeSlot(toRedisArgument(key)) : "";
    return `${format} ${kind} ${slot} ${principal}`;
  }

  async #renewGroup(group: readonly RenewalTarget[]): Promise<Settled[]> {
    const [{ format, kind, principal } = PLAIN] = group;
    const { commands, confirm } = this.getGuardedCommands();
    let replies: readonly (RenewReply | Error)[] | undefined;
    try {
      replies = await attempt(this.redis, () =>
        getLockWriter({ format, kind })
          .renewHolds(commands, this.channel, group, principal)
          .catch((error: unknown) => {
            if (group.length > 1 && isKeyRefusal(error)) return undefined;
            throw error;
          }),
      );
    } catch (reason) {
      return group.map(() => ({ status: "rejected", reason }));
    }
    if (replies === undefined) return await Promise.allSettled(group.map((hold) => this.renewAlone(hold)));
    const settled = group.map((hold, at) => settleRenewal(hold, replies[at]));
    if (confirm === undefined || settled.every(({ status }) => status === "rejected")) return settled;
    return await confirm().then(
      () => settled,
      (reason: unknown) =>
        settled.map((each) => (each.status === "fulfilled" ? { status: "rejected", reason } : each)),
    );
  }
}

const PLAIN: Pick<RenewalTarget, "format" | "kind" | "principal"> = { format: "redisson" };

const MISSING: Settled = { status: "rejected", reason: new Error("renew-many.lua returned too few replies") };

function splitGroup(group: readonly RenewalTarget[]): RenewalTarget[][] {
  const parts: RenewalTarget[][] = [];
  for (let at = 0; at < group.length; at += SCRIPT_HOLDS_MAX)
    parts.push(group.slice(at, at + SCRIPT_HOLDS_MAX));
  return parts;
}

function settleRenewal(hold: RenewalTarget, reply: RenewReply | Error | undefined): Settled {
  if (reply === undefined) return MISSING;
  try {
    if (reply instanceof Error) throw toVerbError(reply);
    return { status: "fulfilled", value: readRenewal(hold, reply) };
  } catch (reason) {
    return { status: "rejected", reason };
  }
}
