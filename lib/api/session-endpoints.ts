import type { LiveView } from "@/lib/contract/live.ts";
import type { TargetList } from "@/lib/contract/target.ts";
import { readError, requestJson, sendRequest, type TargetName, withTarget } from "./request.ts";

// Requests that every page needs. `endpoints.ts` contains the requests of individual pages and is loaded later.

/** Lists the targets that the user can read. */
export async function getTargets(): Promise<TargetList> {
  const response = await sendRequest("GET", "/targets");
  // The server refuses this request to users who can read no target.
  if (response.status === 403) return { items: [] };
  return await requestJson(Promise.resolve(response), (wire, json) => wire.readTargets(json));
}

export async function logout(): Promise<void> {
  const response = await sendRequest("POST", "/logout");
  if (!response.ok && response.status !== 401) throw await readError(response);
}

/**
 * Whether the server accepts the live stream of a target. `in`: it does. `out`: there is no session. `refused`: the
 * target does not exist or the user has no access to it. `unknown`: Lockkeeper returned another error. `unreachable`:
 * Lockkeeper did not respond.
 */
export type StreamAccess = "in" | "out" | "refused" | "unknown" | "unreachable";

/**
 * Checks whether the server accepts the live stream of a target. Call this after an `EventSource` error, because
 * `EventSource` does not report the status of the response.
 */
export async function checkStreamAccess(target: TargetName): Promise<StreamAccess> {
  try {
    // The server checks a HEAD request like GET, but opens no stream.
    const response = await sendRequest("HEAD", withTarget("/live", target));
    if (response.ok) return "in";
    if (response.status === 401) return "out";
    // All errors of the server have this type. A gateway that responds because the server is down may also send JSON.
    if (!response.headers.get("content-type")?.includes("problem+json")) return "unreachable";
    return response.status === 403 || response.status === 404 ? "refused" : "unknown";
  } catch {
    return "unreachable";
  }
}

export async function changeView(
  stream: string,
  view: LiveView,
): Promise<"done" | "gone" | "out" | "failed"> {
  try {
    const response = await sendRequest("POST", `/live/${encodeURIComponent(stream)}`, view);
    if (response.ok) return "done";
    if (response.status === 404) return "gone";
    return response.status === 401 ? "out" : "failed";
  } catch {
    return "failed";
  }
}
