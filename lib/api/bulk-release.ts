import type { BulkForceReleaseInput, BulkItemLine, BulkLine } from "@/lib/contract/actions/bulk-release.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import {
  loadResponseReaders,
  NetworkError,
  readError,
  sendRequest,
  type TargetName,
  withTarget,
} from "./request.ts";

/** The result for one item in a bulk release. `now` is the current lock if the item's problem contains one. */
export type BulkItemResult = BulkItemLine & { readonly now?: Lock };
export type BulkStreamLine = Exclude<BulkLine, BulkItemLine> | BulkItemResult;

/** Splits a partial response into its complete lines, without blank lines, and the start of the next line (`rest`). */
export function splitLines(text: string): { lines: string[]; rest: string } {
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  return { lines: lines.filter((line) => line.trim() !== ""), rest };
}

/**
 * Releases several holds, or previews their release.
 *
 * @param onLines called with each batch of complete lines (one or more)
 * @param signal aborts the request, which cancels the items that have not started
 * @throws ApiProblem if the server refused the request before it started any item; NetworkError if there is no usable
 * response, the response was interrupted, the request was aborted, a line is invalid, or `onLines` throws
 */
export async function forceReleaseMany(
  input: Partial<BulkForceReleaseInput>,
  target: TargetName,
  onLines: (lines: BulkStreamLine[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await sendRequest("POST", withTarget("/locks/force-release", target), input, signal);
  if (!response.ok) throw await readError(response);
  const { readBulkLine, readLockFact } = await loadResponseReaders();
  const acceptLine = (text: string): BulkStreamLine => {
    const line = readBulkLine(text);
    if (line.type !== "item" || line.problem === undefined) return line;
    const now = readLockFact(line.problem);
    return now === undefined ? line : { ...line, now };
  };
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      const split = splitLines(rest + decoder.decode(value, { stream: !done }));
      rest = split.rest;
      if (split.lines.length > 0) onLines(split.lines.map(acceptLine));
      if (done) return;
    }
  } catch {
    throw new NetworkError("broken_off");
  }
}
