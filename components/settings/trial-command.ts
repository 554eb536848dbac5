import type { CreatedApiKey } from "@/lib/contract/accounts/api-key.ts";

/**
 * Builds shell commands that store a new API key in an environment variable and test it by listing at most one lock.
 * The request changes nothing.
 *
 * @param origin the origin and base path of the server
 */
export function buildTrialCommand(
  { secret, targets }: Pick<CreatedApiKey, "secret" | "targets">,
  origin: string,
): string {
  const [target] = targets;
  const query = new URLSearchParams({
    limit: "1",
    ...(target === undefined || target === "*" ? {} : { target }),
  });
  return [
    `export LOCKKEEPER_API_KEY=${secret}`,
    `curl -H "Authorization: Bearer $LOCKKEEPER_API_KEY" '${origin}/api/v1/locks?${query}'`,
  ].join("\n");
}
