import { explainForeignResponse, explainNetworkError, readOpenApi } from "./server-diagnosis.ts";

const TIMEOUT_MS = 5000;
const LINES_MAX = 50;

/** The part of a server's state that can be read without an API key. */
export interface ServerState {
  readonly version: string;
  /** First line of `/readyz`: `ready`, or why the server is not ready. */
  readonly readiness: string;
  readonly warnings: readonly string[];
}

/**
 * Reads `/readyz` and the version of a server.
 *
 * @throws CliError if the server cannot be reached or is not a Lockkeeper server
 */
export async function readServerState(url: string): Promise<ServerState> {
  const response = await fetch(`${url}/readyz`, {
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw explainNetworkError(url, error);
  });
  const document = await readOpenApi(url);
  const [readiness = "", ...warnings] = (await response.text().catch(() => "")).trim().split("\n", LINES_MAX);
  // While a server starts, it responds to /readyz but not to the API.
  if (document === undefined && !(response.status === 503 && /^\w+$/.test(readiness)))
    throw explainForeignResponse(url, response.status, undefined);
  return { version: document?.info.version ?? "unknown version", readiness, warnings };
}
