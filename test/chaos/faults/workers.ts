import { doNothing, type Fault } from "./fault.ts";

const onWorker = { on: "worker", lasts: "a_while", loses: "nothing" } as const;

export const WORKER_FAULTS: readonly Fault[] = [
  {
    ...onWorker,
    name: "stop-worker",
    begin: async ({ workers }, { target }) => workers.signal(target, "SIGSTOP"),
    end: async ({ workers }, { target }) => workers.signal(target, "SIGCONT"),
  },
  {
    ...onWorker,
    name: "kill-worker",
    begin: ({ workers }, { target }) => workers.kill(target),
    end: ({ workers }, { target }) => workers.start(target),
  },
  {
    ...onWorker,
    name: "block-worker",
    begin: async ({ workers }, { target, forMs }) => workers.sendOrder(target, { order: "block", ms: forMs }),
    end: doNothing,
  },
  {
    ...onWorker,
    name: "clock-step",
    begin: async ({ workers }, { target, forMs, chance }) =>
      workers.sendOrder(target, { order: "clock", ms: chance < 0.7 ? -forMs : forMs }),
    end: async ({ workers }, { target }) => workers.sendOrder(target, { order: "clock", ms: 0 }),
  },
];
