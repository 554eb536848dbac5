import type { LinkMode } from "../servers/link.ts";
import type { Fault } from "./fault.ts";

/** The links of one worker, to all servers or to some of them. */
function createLinkFault(name: string, mode: LinkMode | ((chance: number) => LinkMode)): Fault {
  return {
    name,
    on: "worker",
    lasts: "a_while",
    loses: "nothing",
    async begin({ workers }, { target, chance }) {
      const links = workers.getLinks(target);
      // Chance also says how many servers are out of reach; of one server it is always that one.
      const count = Math.ceil(links.length * Math.max(chance, 0.3));
      for (const link of links.slice(0, count)) {
        link.delayMs = 50 + chance * 600;
        link.set(typeof mode === "string" ? mode : mode(chance));
      }
    },
    async end({ workers }, { target }) {
      for (const link of workers.getLinks(target)) link.set("pass");
    },
  };
}

export const NETWORK_FAULTS: readonly Fault[] = [
  createLinkFault("drop-replies", "drop"),
  createLinkFault("delay-replies", "delay"),
  createLinkFault("partition", (chance) => ((chance * 100) % 2 < 1 ? "mute" : "cut")),
];
