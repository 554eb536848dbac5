const PER_MASTER_COMMAND = /^(?:CONFIG|ACL) /;
const PLAIN_ARGUMENT = /^[\w:+.,=-]+$/;

/**
 * Formats a Redis command as redis-cli command lines, one per master. Commands for a sentinel or for the host are
 * returned unchanged.
 *
 * @param masters `host:port`, with IPv6 as `[host]:port`
 */
export function buildRedisCliLines(command: string, masters: readonly string[]): string[] {
  if (!PER_MASTER_COMMAND.test(command)) return [command];
  const words = command.split(" ").map(quoteArgument);
  if (masters.length === 0) return [["redis-cli", ...words].join(" ")];
  return masters.map((master) => {
    const at = master.lastIndexOf(":");
    const host = master.slice(0, at).replace(/^\[|\]$/g, "");
    return ["redis-cli", "-h", quoteArgument(host), "-p", quoteArgument(master.slice(at + 1)), ...words].join(
      " ",
    );
  });
}

function quoteArgument(word: string): string {
  return PLAIN_ARGUMENT.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
