const KINDS: Readonly<Record<string, string>> = { w: "worker", h: "worker", api: "api" };

/**
 * Returns the slot of a process, which is the target that faults name. `w3.2` is the second process in `worker 3`,
 * `h6.1` is the first process in `worker 6`, which uses HTTP, and `api1.1` is the first process in `api 1`.
 */
export function getProcessSlot(process: string): string | undefined {
  const [, letters = "", number] = /^(w|h|api)(\d+)\./.exec(process) ?? [];
  const kind = KINDS[letters];
  return kind === undefined ? undefined : `${kind} ${number}`;
}

export function isOverHttp({ process }: { readonly process: string }): boolean {
  return process.startsWith("h") && getProcessSlot(process) !== undefined;
}
