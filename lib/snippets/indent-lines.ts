/** Indents all lines except empty lines. */
export function indentLines(text: string, spaces: number): string {
  // Does not use the `m` flag, which also treats U+2028 as a line break.
  return text.replace(/(^|\n)(?=[^\n])/g, `$1${" ".repeat(spaces)}`);
}
