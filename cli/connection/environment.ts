/** Environment variables that the command line reads. Options take precedence. No other file of `cli` reads them. */
export interface CliEnvironment {
  /** `LOCKKEEPER_URL`: the server, such as `https://locks.example.com`. */
  readonly serverUrl: string | undefined;
  /** `LOCKKEEPER_API_KEY`. There is no option for it, because other users of the machine can read arguments. */
  readonly apiKey: string | undefined;
}

export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): CliEnvironment {
  return {
    serverUrl: environment.LOCKKEEPER_URL || undefined,
    apiKey: environment.LOCKKEEPER_API_KEY || undefined,
  };
}
