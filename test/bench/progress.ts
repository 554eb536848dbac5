/** Reports progress on standard error, because standard output is for the figures. */
export function reportProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
