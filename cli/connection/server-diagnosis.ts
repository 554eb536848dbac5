import { z } from "zod";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { toPrintable } from "../output/printable.ts";

const DIAGNOSIS_TIMEOUT_MS = 5000;

const OpenApiFacts = z.object({
  info: z.object({ title: z.literal("Lockkeeper"), version: z.string().max(50) }),
  paths: z.record(z.string(), z.unknown()),
});
type OpenApiFacts = z.infer<typeof OpenApiFacts>;

const NETWORK_CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused; is the server running, and is the port right?",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved now",
  ECONNRESET: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ETIMEDOUT: "no response",
  UND_ERR_CONNECT_TIMEOUT: "no response",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
};
const UNTRUSTED_CERTIFICATE = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+)$/;

/** Converts an error from `fetch` to an error for the user. */
export function explainNetworkError(url: string, error: unknown): CliError {
  return new CliError(`Could not reach ${url} (${describeNetworkError(error)}).`, EXIT_CODES.unavailable);
}

/** Describes an error from `fetch` as a short phrase, such as `no response in time`. */
export function describeNetworkError(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "no response in time";
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code = "", message = String(cause) }: NodeJS.ErrnoException =
    cause instanceof Error ? cause : new Error(String(cause));
  if (UNTRUSTED_CERTIFICATE.test(code))
    return `TLS: the certificate is not trusted (${code}); set NODE_EXTRA_CA_CERTS to the file of its authority`;
  if (code === "CERT_HAS_EXPIRED") return "TLS: the certificate has expired";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "TLS: the certificate is for another host name";
  if (code.startsWith("ERR_SSL") || message.includes("wrong version number"))
    return "TLS: the server does not use TLS on this port; try http://";
  if (code === "HPE_INVALID_CONSTANT") return "the response is not HTTP; a server with TLS needs https://";
  return NETWORK_CAUSES[code] ?? (code || toPrintable(message));
}

/**
 * Returns an error that explains why the fields of a response do not match the schema: the server has a different
 * version or is not a Lockkeeper server.
 */
export async function explainUnreadableResponse(url: string, version: string): Promise<CliError> {
  const document = await readOpenApi(url);
  if (document === undefined)
    return createWrongAddressError(url, "the response has other fields than expected");
  return new CliError(
    `The server at ${url} has version ${toPrintable(document.info.version)}, whose response this version (${version}) cannot read. Use the same version of both.`,
    EXIT_CODES.failure,
  );
}

/**
 * Returns an error that explains a response from something other than Lockkeeper: a proxy responded, or the URL is
 * wrong.
 *
 * @param detail description of the response; used only if it mentions redirects
 */
export function explainForeignResponse(
  url: string,
  status: number | undefined,
  detail: string | undefined,
): CliError {
  if (status === 502 || status === 503 || status === 504) {
    return new CliError(
      `${url} returned HTTP ${status}: a proxy responds there, but cannot reach Lockkeeper. Try again later.`,
      EXIT_CODES.unavailable,
    );
  }
  if (detail?.includes("redirects")) return createWrongAddressError(url, toPrintable(detail));
  return createWrongAddressError(url, `it returned HTTP ${status}, which is not from Lockkeeper`);
}

function createWrongAddressError(url: string, why: string): CliError {
  return new CliError(
    `${url} is not a Lockkeeper server (${why}). Give the URL of the console, including its base path.`,
    EXIT_CODES.failure,
  );
}

/**
 * Returns an error if the API document of the server does not contain the route, which means that the server is older
 * than the command line. Returns `undefined` if the server has the route or its API document cannot be read.
 */
export async function explainMissingRoute(
  url: string,
  route: string,
  version: string,
): Promise<CliError | undefined> {
  const document = await readOpenApi(url);
  if (document === undefined || `/api/v1${route}` in document.paths || route in document.paths)
    return undefined;
  return new CliError(
    `The server at ${url} has version ${toPrintable(document.info.version)}, which does not support this command of version ${version}. Upgrade the server, or use the command line of its version.`,
    EXIT_CODES.failure,
  );
}

/**
 * Reads the public API document of a server.
 *
 * @returns `undefined` if the document cannot be read or is not from Lockkeeper
 */
export async function readOpenApi(url: string): Promise<OpenApiFacts | undefined> {
  try {
    const response = await fetch(`${url}/api/v1/openapi.json`, {
      redirect: "manual",
      signal: AbortSignal.timeout(DIAGNOSIS_TIMEOUT_MS),
    });
    return OpenApiFacts.safeParse(await response.json()).data;
  } catch {
    return undefined;
  }
}
