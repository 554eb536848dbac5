/**
 * Environment variables that the command line reads. Command-line options take precedence over these variables. No
 * other file of `cli` reads `process.env`.
 */
export interface CliEnvironment {
  /** `LOCKKEEPER_URL`: the URL of the server, such as `https://locks.example.com`. */
  readonly serverUrl: string | undefined;
  /**
   * `LOCKKEEPER_API_KEY`: the API key. There is no option for the API key, because other users of the machine can read
   * the arguments of a process.
   */
  readonly apiKey: string | undefined;
  /** `REDIS_URL`: the URL of the Redis deployment for commands that run without a server. */
  readonly redisUrl: string | undefined;
  /** `LOCKKEEPER_WATCH`: patterns of the keys to read for commands that run without a server. */
  readonly watch: readonly string[] | undefined;
  /** `never` if `NO_COLOR` is set and not empty. */
  readonly color: "auto" | "never";
  /** `XDG_DATA_HOME`: the folder for application data. */
  readonly dataHome: string | undefined;
  /** All environment variables, from which the settings of the server are read. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): CliEnvironment {
  return {
    serverUrl: environment.LOCKKEEPER_URL || undefined,
    apiKey: environment.LOCKKEEPER_API_KEY || undefined,
    redisUrl: environment.REDIS_URL || undefined,
    watch: environment.LOCKKEEPER_WATCH ? environment.LOCKKEEPER_WATCH.split(",") : undefined,
    color: environment.NO_COLOR ? "never" : "auto",
    dataHome: environment.XDG_DATA_HOME || undefined,
    variables: environment,
  };
}
