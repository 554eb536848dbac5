import type { AddressInfo } from "node:net";
import type { Resources } from "../resources.ts";
import { forkProcess, waitUntilReady } from "./fork.ts";

/** Starts the protected resource in a separate process. @returns the port of the resource */
export async function startResource(path: string, epochNs: string, resources: Resources): Promise<number> {
  const child = forkProcess("resource.ts", [path, epochNs]);
  resources.defer(() => {
    child.kill("SIGKILL");
  });
  return ((await waitUntilReady(child)) as AddressInfo).port;
}
