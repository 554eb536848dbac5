import type { Lock } from "@/lib/contract/lock.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

type ReleaseMessages = Pick<Messages["lock"], "release">;

/**
 * Returns what an operator should know before releasing a lock, such as a limit or a consequence; `null` if the lock
 * needs no such advice.
 */
export function formatReleaseAdvice(
  { release, format, kind, votes }: Lock,
  { release: messages }: ReleaseMessages,
): string | null {
  if (release?.why === undefined) return null;
  if (messages === null) return [release.why, release.instead].filter((text) => text !== undefined).join(" ");
  switch (release.may) {
    case "with_format":
      return messages.shapeAlone;
    case "yes":
      return kind === "latch" ? messages.latch : messages.permit;
    case "never":
      if (votes?.agreement === "different_owners") return messages.differentOwners;
      if (format === "bullmq" || format === "bull") return messages.job;
      return format === "redisson" ? messages.number : messages.notFreed;
  }
}

/** Returns why a lock can never be force-released; `null` for any other lock. */
export function getReleaseObstacle(lock: Lock, texts: ReleaseMessages): string | null {
  return lock.release?.may === "never" ? formatReleaseAdvice(lock, texts) : null;
}
