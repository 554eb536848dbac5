import { UnavailableError } from "../../errors/redis-errors.ts";
import type { Watcher } from "../../watch/watcher.ts";

/** Asserts that the watcher is connected, and its index therefore up to date. @throws UnavailableError */
export function assertConnected({ isUp }: Pick<Watcher, "isUp">): void {
  if (isUp) return;
  throw new UnavailableError("Redis is not responding, so the state of its locks may be stale. Retry later.");
}
