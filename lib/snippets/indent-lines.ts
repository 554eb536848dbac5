/** All lines but the empty ones, so many spaces to the right. */
export function indentLines(text: string, spaces: number): string {
  // Not by the flag m: to it U+2028 within a text is a line break, too.
  return text.replace(/(^|\n)(?=[^\n])/g, `$1${" ".repeat(spaces)}`);
}
