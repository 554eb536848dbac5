/** Standard output belongs to the figures. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
