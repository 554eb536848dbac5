import type { Edit } from "./mutant.ts";

/**
 * A variant of the lock core with one fault that only a request for several locks reveals. The tests in
 * test/several-locks run it.
 */
export interface SeveralLocksMutant {
  readonly name: string;
  readonly wrong: string;
  readonly edits: readonly Edit[];
  readonly topology: "single" | "cluster";
  /** Pattern that matches the expected report of the fault. */
  readonly fault: RegExp;
}

export const SEVERAL_LOCKS_MUTANTS: readonly SeveralLocksMutant[] = [
  {
    name: "partial-grant-kept",
    wrong: "a refused request keeps the locks that were free",
    edits: [
      {
        file: "server/formats/acquire-all.lua",
        find: "if blocked then\n",
        instead:
          "if blocked then\n  for i = 1, #tokens do if replies[i][1] == 'free' then run_acquire(i, '', '') end end\n",
      },
    ],
    topology: "single",
    fault: /holds \d of 3 locks/,
  },
  {
    name: "refused-slot-kept",
    wrong: "a request that one slot refused keeps those before it, and the slots have no order",
    edits: [
      {
        file: "server/locks/verbs/group-request.ts",
        find: "    await this.#withdrawInTime(granted.filter((lock) => this.#isOwn(lock)));\n    if",
        instead: "    if",
      },
      {
        file: "server/locks/verbs/group-acquirer.ts",
        find: ".sort(([a], [b]) => a - b)",
        instead: ".sort(() => Math.random() - 0.5)",
      },
    ],
    topology: "cluster",
    fault: /holds \d of 3 locks|The wait is over/,
  },
  {
    name: "held-lock-granted",
    wrong: "a request is granted although one of its locks is held",
    edits: [
      {
        file: "server/formats/acquire-all.lua",
        find: "  if reply[1] == 'held' then\n",
        instead:
          "  if reply[1] == 'held' and i == #tokens then replies[i] = { 'granted', reply[2], '1', reply[6], '9000', '9000', reply[4], 'repeated', '', '' }\n  elseif reply[1] == 'held' then\n",
      },
      {
        file: "server/locks/verbs/group-request.ts",
        find: "    if (!isOneRun(granted)) {",
        instead: "    if (granted.length === 0) {",
      },
    ],
    topology: "single",
    fault: /is used by .* and |works with/,
  },
];
