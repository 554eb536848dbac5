import type { Story } from "../history/story.ts";

/** Something that must not be. */
export interface Violation {
  readonly check: string;
  /** Says what is wrong, and by how much. */
  readonly what: string;
  /** Where to look: the lock, the owners and the time. */
  readonly lock: string;
  readonly owners: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Something that may be, because what is needed to keep it was taken away; or a figure. */
export interface Verdict {
  readonly check: string;
  readonly title: string;
  readonly violations: readonly Violation[];
  /** Lines for people: what was counted, what is documented. */
  readonly notes: readonly string[];
}

export type Check = (story: Story) => Verdict;
