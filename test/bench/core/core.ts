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

/** The cost of the lock core, compared with the simplest unsafe lock and with libraries for Node. */
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
