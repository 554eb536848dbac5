import type { Story } from "../history/story.ts";
import { counts } from "./counts.ts";
import { fenceOrder } from "./fence-order.ts";
import type { Verdict } from "./finding.ts";
import { liveness } from "./liveness.ts";
import { overlap } from "./overlap.ts";
import { register } from "./register.ts";
import { signal } from "./signal.ts";

export const CHECKS = [overlap, fenceOrder, register, liveness, signal, counts];

export function judge(story: Story): Verdict[] {
  return CHECKS.map((check) => check(story));
}
