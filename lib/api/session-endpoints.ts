import type { LiveView } from "@/lib/contract/live.ts";
import type { TargetList } from "@/lib/contract/target.ts";
import { readError, requestJson, sendRequest } from "./request.ts";

// Requests that every page needs. `endpoints.ts` contains the requests of individual pages and is loaded later.

export function getTargets(): Promise<TargetList> {
  return requestJson(sendRequest("GET", "/targets"), (wire, json) => wire.readTargets(json));
}

export async function logout(): Promise<void> {
  const response = await sendRequest("POST", "/logout");
  if (!response.ok && response.status !== 401) throw await readError(response);
}

/**
 * Checks whether the session is active. Call this after an `EventSource` error, because `EventSource` does not
 * distinguish status 401 from an unreachable server.
 *
 * @returns `in` if the session is active; `out` if it is not; `unknown` if Lockkeeper returned another error;
 * `unreachable` if Lockkeeper did not respond
 */
export async function checkSession(): Promise<"in" | "out" | "unknown" | "unreachable"> {
  try {
    const response = await sendRequest("GET", "/session");
    if (response.ok) return "in";
    if (response.status === 401) return "out";
    // A proxy that responds because the server is down does not send JSON.
    const isFromLockkeeper = response.headers.get("content-type")?.includes("json") ?? false;
    return isFromLockkeeper ? "unknown" : "unreachable";
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
