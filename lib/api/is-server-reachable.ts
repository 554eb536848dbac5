import { sendRequest } from "./request.ts";

/** Returns whether Lockkeeper responds. If Lockkeeper is down, a proxy in front of it may respond with 502 to 504. */
export async function isServerReachable(): Promise<boolean> {
  try {
    return (await sendRequest("GET", "/session")).status < 500;
  } catch {
    return false;
  }
}
