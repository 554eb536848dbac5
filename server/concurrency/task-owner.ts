/** The caller that a task is done for. */
export interface TaskOwner {
  /** Tasks of one owner run one after the other. */
  readonly id: string;
  /** Counts processor time that the task has used. */
  charge(ms: number): void;
}

/** Owns tasks that no caller asked for. */
export const SYSTEM_OWNER: TaskOwner = { id: "", charge: () => undefined };
