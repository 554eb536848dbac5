import { contended } from "../contended/contended.ts";
import type { Experiment } from "../figure.ts";
import { kinds } from "../kinds/kinds.ts";
import { commands } from "./commands.ts";
import { handOff } from "./hand-off.ts";
import { foreignHandOff } from "./hand-off-foreign.ts";
import { leftover } from "./leftover.ts";
import { memory } from "./memory.ts";
import { renewals } from "./renewals.ts";
import { throughput } from "./throughput.ts";
import { watched } from "./watched.ts";

/** What the lock core costs, beside the least safe lock and the libraries that Node apps use. */
export const core: readonly Experiment[] = [
  ...throughput,
  watched,
  commands,
  memory,
  leftover,
  handOff,
  foreignHandOff,
  contended,
  kinds,
  renewals,
];
