/** Thrown if this machine lacks something for a client. Other clients still run, and this one counts as failed. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** Returns the first line of a thrown value. */
export function formatReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n").find((line) => line.trim() !== "") ?? "no reason given").trim();
}
