import type { SampleRunner } from "./sample-runner.ts";

export const shellRunner: SampleRunner = {
  fileName: "safe-lock.sh",
  works: ["child"],
  driver: 'with_lock "$KEY" bash "$CHILD_SCRIPT"\n',
  command: () => ["bash", "safe-lock.sh"],
  exampleCommand: (_, key) => [
    "bash",
    "safe-lock.sh",
    key,
    "bash",
    "-c",
    'for step in 1 2 3 4 5; do echo "step $step with fence $LOCK_FENCE"; done',
  ],
};

export const SAMPLE_RUNNERS: readonly SampleRunner[] = [shellRunner];
