/** The caller on whose behalf a task runs. */
export interface TaskOwner {
  /** Identifies the owner. Tasks with the same owner id run one after the other. */
  readonly id: string;
  /** Charges the owner for CPU time that a task used, in milliseconds. */
  charge(ms: number): void;
}

/** The owner of tasks that Lockkeeper starts without a caller. */
export const SYSTEM_OWNER: TaskOwner = { id: "", charge: () => undefined };
