import { sendRequest } from "./request.ts";

/**
 * Returns whether Lockkeeper responds. A status of 500 or above counts as no response, because a proxy can send 502 to
 * 504 while Lockkeeper is down.
 */
export async function isServerReachable(): Promise<boolean> {
  try {
    return (await sendRequest("GET", "/session")).status < 500;
  } catch {
    return false;
  }
}
