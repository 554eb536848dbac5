import { UnavailableError } from "../../errors/redis-errors.ts";
import type { Watcher } from "../../watch/watcher.ts";

/** What the picture has is worth telling. @throws UnavailableError */
export function assertConnected({ isUp }: Pick<Watcher, "isUp">): void {
  if (isUp) return;
  throw new UnavailableError("Redis does not answer, so what is known of its locks may be out of date.");
}
