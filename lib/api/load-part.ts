import { reachability } from "./reachability.ts";

/** Time within which the live stream detects that the server is unreachable, in ms. */
const NOTICE_MS = 1000;

/**
 * Wraps the loader of a part of the page so that it waits while the server is unreachable, and retries after an outage.
 * Otherwise, a part that failed to load would be missing until the page is reloaded.
 *
 * @throws errors of `load` while the server is reachable, which means that an update of the console removed the file
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
