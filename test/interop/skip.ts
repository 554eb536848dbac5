/** What this machine lacks for a client. The others are run, and this one counts as failed. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** The first line of whatever was thrown. */
export function formatReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n").find((line) => line.trim() !== "") ?? "no reason given").trim();
}
