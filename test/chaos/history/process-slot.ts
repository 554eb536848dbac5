const KINDS: Readonly<Record<string, string>> = { w: "worker", h: "worker", api: "api" };

/**
 * The seat of a process, as faults name it: `w3.2` is the second process at `worker 3`, `h6.1` the first at `worker 6`,
 * which asks over HTTP, `api1.1` the first at `api 1`.
 */
export function getProcessSlot(process: string): string | undefined {
  const [, letters = "", number] = /^(w|h|api)(\d+)\./.exec(process) ?? [];
  const kind = KINDS[letters];
  return kind === undefined ? undefined : `${kind} ${number}`;
}

export function isOverHttp({ process }: { readonly process: string }): boolean {
  return process.startsWith("h") && getProcessSlot(process) !== undefined;
}
