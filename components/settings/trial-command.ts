import type { CreatedApiKey } from "@/lib/contract/accounts/api-key.ts";

/**
 * Builds a shell command that tests a new API key by listing one lock. The command changes nothing.
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
