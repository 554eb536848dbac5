import type { LinkMode } from "../servers/link.ts";
import type { Fault } from "./fault.ts";

const onApi = { on: "api", lasts: "a_while", loses: "nothing" } as const;
/**
 * Maximum time until an API server has exited, in milliseconds. The documented limit is 2 s; the remaining time is
 * slack for a busy machine.
 */
const END_MS = 4000;
const DISTURBED: readonly LinkMode[] = ["drop", "delay", "mute", "cut"];

export const API_FAULTS: readonly Fault[] = [
  {
    ...onApi,
    name: "restart-api",
    begin: ({ apis }, { target, chance }) =>
      chance < 0.5 ? apis.kill(target) : apis.terminate(target, END_MS),
    end: ({ apis }, { target }) => apis.start(target),
  },
  {
    ...onApi,
    name: "stop-api",
    begin: async ({ apis }, { target }) => apis.signal(target, "SIGSTOP"),
    end: async ({ apis }, { target }) => apis.signal(target, "SIGCONT"),
  },
  {
    ...onApi,
    name: "clock-step-api",
    begin: async ({ apis }, { target, forMs, chance }) =>
      apis.sendOrder(target, { order: "clock", ms: chance < 0.7 ? -forMs : forMs }),
    end: async ({ apis }, { target }) => apis.sendOrder(target, { order: "clock", ms: 0 }),
  },
  {
    ...onApi,
    name: "disturb-api",
    async begin({ apis }, { target, chance }) {
      for (const link of apis.getLinks(target)) {
        link.delayMs = 50 + chance * 600;
        link.set(DISTURBED[Math.floor(chance * DISTURBED.length)] ?? "cut");
      }
    },
    async end({ apis }, { target }) {
      for (const link of apis.getLinks(target)) link.set("pass");
    },
  },
];
