import { reachability } from "./reachability.ts";

/** Time, in ms, within which the live stream detects that the server is unreachable. */
const NOTICE_MS = 1000;

/**
 * Wraps the loader of a part of the page. The wrapped loader waits while the server is unreachable, and retries after
 * an outage. Without this wrapper, a part that failed to load would be missing until the page is reloaded.
 *
 * @throws the error of `load` if the server is reachable; an update of the console has then removed the file
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
