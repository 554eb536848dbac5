const PER_MASTER_COMMAND = /^(?:CONFIG|ACL) /;
const PLAIN_ARGUMENT = /^[\w:+.,=-]+$/;

/**
 * A command as it is typed at a shell, a line for each master that it is for. What is no command of a master (one of a
 * sentinel, or of the machine) stays as it is.
 *
 * @param masters `host:port`; of IPv6 `[host]:port`
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
