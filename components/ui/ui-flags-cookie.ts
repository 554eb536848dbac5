/**
 * The name of the cookie that stores which parts of a page are open (`name`) or collapsed (`-name`). The entries are
 * separated by dots.
 */
export const UI_FLAGS_COOKIE = "lockkeeper_folds";

/** Returns whether a part is open; `null` if the user made no choice. */
export function readFlag(cookie: string, name: string): boolean | null {
  const flags = cookie.split(".");
  if (flags.includes(name)) return true;
  return flags.includes(`-${name}`) ? false : null;
}

export function writeFlag(cookie: string, name: string, value: boolean): string {
  const others = cookie.split(".").filter((each) => each !== "" && each !== name && each !== `-${name}`);
  return [...others, value ? name : `-${name}`].join(".");
}
