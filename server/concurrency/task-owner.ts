/** The caller that a task runs for. */
export interface TaskOwner {
  /** Tasks of one owner run one after the other. */
  readonly id: string;
  /** Adds CPU time that a task used, in milliseconds. */
  charge(ms: number): void;
}

/** The owner of tasks that no caller requested. */
export const SYSTEM_OWNER: TaskOwner = { id: "", charge: () => undefined };
