import { reachability } from "./reachability.ts";

/** Time in ms to wait after a failure, in which the live stream detects whether the server is unreachable. */
const NOTICE_MS = 1000;

/**
 * Wraps a function that loads a part of the page with `import()`. The returned function waits while the server is
 * unreachable, and retries after an outage. Without the wrapper, a part that failed to load would be missing until the
 * page is reloaded.
 *
 * @throws the error from `load` (thrown by the returned function) if the server is reachable 1 s after the failure, for
 * example because an update of the console has removed the file
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
