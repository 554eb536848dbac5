import type { SampleRequest } from "@/lib/reference/sample-request.ts";

/** Creates a curl command, for a POSIX shell, that sends the request. */
export function createCurlSnippet(request: SampleRequest, origin: string): string {
  const { method, path, needsKey, headers, body, isStream } = request;
  const first = `curl ${isStream ? "-iN" : "-i"}${method === "GET" ? "" : ` -X ${method}`} ${quoteShell(origin + path)}`;
  const lines = [
    first,
    ...(needsKey ? ['-H "Authorization: Bearer $LOCKKEEPER_API_KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoteShell(JSON.stringify(body))}`]),
  ];
  return `${lines.join(" \\\n  ")}\n`;
}

/** Quotes text as one word for a POSIX shell. */
export function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
