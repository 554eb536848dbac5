/** An error that is thrown if this machine lacks a tool that a client needs. The other clients still run. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** Returns the first line of an error message or another thrown value. */
export function formatReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n").find((line) => line.trim() !== "") ?? "no reason given").trim();
}
