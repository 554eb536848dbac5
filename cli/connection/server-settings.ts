import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type Config, readConfig } from "../../server/config/config.ts";
import { StartupError } from "../../server/errors/startup-error.ts";
import type { CliEnvironment } from "./environment.ts";

/**
 * Options for the settings of a server on this machine, shared by several commands. These options take precedence over
 * environment variables.
 */
export interface SettingsOptions {
  readonly redis?: string;
  readonly host?: string;
  readonly port?: number;
  readonly readOnly?: true;
  readonly data?: string;
  readonly config?: string;
}

/**
 * Returns the default data folder: `$XDG_DATA_HOME/lockkeeper`, or `~/.local/share/lockkeeper` if the variable is not
 * set to an absolute path.
 *
 * @throws StartupError if the account has no home directory
 */
export function getDefaultDataDir({ dataHome }: Pick<CliEnvironment, "dataHome">): string {
  // The XDG specification requires that relative paths are ignored.
  if (dataHome !== undefined && isAbsolute(dataHome)) return join(dataHome, "lockkeeper");
  try {
    return join(homedir(), ".local", "share", "lockkeeper");
  } catch {
    // Without HOME, homedir() looks up the account of the user, and fails if the user has none.
    throw new StartupError(
      "This account has no home directory. Set --data to a folder for Lockkeeper's data.",
    );
  }
}

/**
 * Reads the settings of a server. Options override the corresponding environment variables.
 *
 * @throws StartupError if a setting is invalid, or if the default data folder is needed but the account has no home
 * directory
 */
export function readServerSettings(options: SettingsOptions, environment: CliEnvironment): Config {
  const { variables } = environment;
  const { redis, host, port, readOnly, data, config } = options;
  const settings = {
    ...variables,
    LOCKKEEPER_DATA_DIR:
      data ??
      (variables.LOCKKEEPER_DATA_DIR || variables.LOCKKEEPER_CACHE_DIR || getDefaultDataDir(environment)),
    ...(redis === undefined ? {} : { REDIS_URL: redis }),
    ...(host === undefined ? {} : { HOST: host }),
    ...(port === undefined ? {} : { PORT: String(port) }),
    ...(readOnly === undefined ? {} : { LOCKKEEPER_READ_ONLY: "1" }),
    ...(config === undefined ? {} : { LOCKKEEPER_CONFIG: config }),
  };
  return { ...readConfig(settings, []), launcher: "lockkeeper", launcherOptions: formatOptions(options) };
}

/**
 * Formats the options of `serve` that `login` also needs, for a command that the user can copy. Omits a Redis URL with
 * a password. `login` then reads the URL from the environment.
 */
function formatOptions({ redis, port, readOnly, data, config }: SettingsOptions): string[] {
  const isSecret = redis !== undefined && /:\/\/[^/@]*:[^/@]*@/.test(redis);
  const values = { redis: isSecret ? undefined : redis, port, data, config };
  const options = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quote(String(value))}`],
  );
  return readOnly === undefined ? options : [...options, "--read-only"];
}

function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
