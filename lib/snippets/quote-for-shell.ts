/** Formats text as one word for a POSIX shell. Adds quotes only if the text requires them. */
export function quoteForShell(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
