/** Prints a line about the progress on standard error. Standard output is reserved for the figures. */
export function reportProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
