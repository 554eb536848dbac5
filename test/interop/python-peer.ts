import { fileURLToPath } from "node:url";
import { Peer } from "./peer.ts";
import type { PythonTool } from "./steps/python.ts";

/** Starts a script in test/interop/python as a peer. */
export function startPython(
  name: string,
  { python, library }: PythonTool,
  file: string,
  url: string,
): Promise<Peer> {
  const path = fileURLToPath(new URL(`python/${file}`, import.meta.url));
  const env = { ...process.env, PYTHONPATH: library, PYTHONDONTWRITEBYTECODE: "1" };
  return Peer.start(name, python, [path, url], { env });
}
