import type { Story } from "../history/story.ts";
import { counts } from "./counts.ts";
import { fenceOrder } from "./fence-order.ts";
import { fencedRegister } from "./fenced-register.ts";
import type { Verdict } from "./finding.ts";
import { linearizable } from "./linearizable.ts";
import { liveness } from "./liveness.ts";
import { overlap } from "./overlap.ts";
import { signal } from "./signal.ts";

export const CHECKS = [overlap, fenceOrder, fencedRegister, linearizable, liveness, signal, counts];

export function judge(story: Story): Verdict[] {
  return CHECKS.map((check) => check(story));
}
