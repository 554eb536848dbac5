import { sendRequest } from "./request.ts";

/** Returns whether Lockkeeper responds. A proxy in front of it may respond with 502 to 504 in its place. */
export async function isServerReachable(): Promise<boolean> {
  try {
    return (await sendRequest("GET", "/session")).status < 500;
  } catch {
    return false;
  }
}
