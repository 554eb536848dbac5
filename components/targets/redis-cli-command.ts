import { quoteForShell } from "@/lib/snippets/quote-for-shell.ts";

const PER_MASTER_COMMAND = /^(?:CONFIG|ACL) /;

/**
 * Formats a `CONFIG` or `ACL` command as redis-cli command lines, one per master. If `masters` is empty, returns one
 * line without a host and port. Returns other commands unchanged, such as commands for a sentinel or for the host.
 *
 * @param masters addresses as `host:port`, with IPv6 as `[host]:port`
 */
export function buildRedisCliLines(command: string, masters: readonly string[]): string[] {
  if (!PER_MASTER_COMMAND.test(command)) return [command];
  const words = command.split(" ").map(quoteForShell);
  if (masters.length === 0) return [["redis-cli", ...words].join(" ")];
  return masters.map((master) => {
    const at = master.lastIndexOf(":");
    const host = master.slice(0, at).replace(/^\[|\]$/g, "");
    return ["redis-cli", "-h", quoteForShell(host), "-p", quoteForShell(master.slice(at + 1)), ...words].join(
      " ",
    );
  });
}
