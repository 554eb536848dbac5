/** Indents all lines except empty ones. */
export function indentLines(text: string, spaces: number): string {
  // Not with the flag m, for which U+2028 is also a line break.
  return text.replace(/(^|\n)(?=[^\n])/g, `$1${" ".repeat(spaces)}`);
}
