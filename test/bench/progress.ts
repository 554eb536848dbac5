/** Standard output belongs to the figures. */
export function reportProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
