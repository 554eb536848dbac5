import { reachability } from "./reachability.ts";

/** Time after which the live stream has noticed that the server is unreachable. */
const NOTICE_MS = 1000;

/**
 * Makes the loader of a part of the page wait for a server that is unreachable, and try again after an outage: a
 * part that failed to load would otherwise be missing until the page is reloaded.
 *
 * @throws errors of `load` while the server is reachable: the file was removed by an update of the console
 */
export function loadPart<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    for (;;) {
      await reachability.whenReachable();
      try {
        return await load();
      } catch (error) {
        await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
        if (reachability.isReachable) throw error;
      }
    }
  };
}
