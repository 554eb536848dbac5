import type { Experiment } from "../figure.ts";
import { firstLoad } from "./first-load.ts";
import { firstRows } from "./first-rows.ts";
import { busyTasks, filterTasks, scrollTasks } from "./long-tasks.ts";
import { memoryGrowth } from "./memory.ts";
import { pausedMoves } from "./paused.ts";

/** Figures of the console's production build in a real browser. */
export const ui: readonly Experiment[] = [
  firstLoad,
  firstRows,
  filterTasks,
  scrollTasks,
  busyTasks,
  pausedMoves,
  memoryGrowth,
];
