import type { LinkMode } from "../servers/link.ts";
import type { Fault } from "./fault.ts";

/** Creates a fault that affects one worker's links to some or all servers. */
function createLinkFault(name: string, mode: LinkMode | ((chance: number) => LinkMode)): Fault {
  return {
    name,
    on: "worker",
    lasts: "a_while",
    loses: "nothing",
    async begin({ workers }, { target, chance }) {
      const links = workers.getLinks(target);
      // The random number also determines how many links are affected. At least one link is affected.
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
