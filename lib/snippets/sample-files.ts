import type { SnippetLanguage } from "./language.ts";

/** A complete sample program in public/samples, which the server serves at `/samples/<name>`. */
export interface SampleFile {
  readonly name: string;
  /** The command that runs the downloaded program. */
  readonly command: string;
}

/** A sample program with the content of its file. */
export interface SampleProgram extends SampleFile {
  readonly text: string;
}

/** The topic of a sample program. `lock`: runs work while it holds a lock. `events`: listens to events. */
export type SampleTopic = "lock" | "events";

export const SAMPLE_FILES: Readonly<Record<SnippetLanguage, Readonly<Record<SampleTopic, SampleFile>>>> = {
  curl: {
    lock: { name: "safe-lock.sh", command: "bash safe-lock.sh lock:orders:42 ./your-command" },
    events: { name: "watch-events.sh", command: "bash watch-events.sh" },
  },
  typescript: {
    lock: { name: "safe-lock.mts", command: "node safe-lock.mts" },
    events: { name: "watch-events.mts", command: "node watch-events.mts" },
  },
  python: {
    lock: { name: "safe_lock.py", command: "python3 safe_lock.py" },
    events: { name: "watch_events.py", command: "python3 watch_events.py" },
  },
  go: {
    lock: { name: "safelock.go", command: "go run safelock.go" },
    events: { name: "watchevents.go", command: "go run watchevents.go" },
  },
  java: {
    lock: { name: "SafeLock.java", command: "java SafeLock.java" },
    events: { name: "WatchEvents.java", command: "java WatchEvents.java" },
  },
};

export type SamplePrograms = Readonly<Record<SnippetLanguage, Readonly<Record<SampleTopic, SampleProgram>>>>;

/**
 * Returns the commands that set the environment variables of the samples, with a placeholder for the API key.
 *
 * @param serverUrl URL of the server with the base path
 */
export function createEnvironmentCommands(serverUrl: string): string {
  return `export LOCKKEEPER_URL=${serverUrl}\nexport LOCKKEEPER_API_KEY=lk_…\n`;
}

/** Returns the commands that download and run a sample. @param serverUrl URL of the server with the base path */
export function createSampleCommands({ name, command }: SampleFile, serverUrl: string): string {
  return `curl -O ${serverUrl}/samples/${name}\n${command}\n`;
}
