/**
 * `npm ci` refuses a lock file that lacks a package of some other platform, which happens when the registry
 * it was made with did not have that package. Nothing that runs here is missing then, and `npm install` with
 * the same lock file gives the same versions. A lock file that is really out of date stays an error.
 *
 * @param {string} output what `npm ci` printed
 * @param {string} lockfile the text of package-lock.json
 */
export function lacksOnlyPlatformPackages(output, lockfile) {
  const complaints = [...output.matchAll(/^npm (?:error|ERR!) (Missing|Invalid): (.+)$/gm)];
  const optional = optionalPackages(lockfile);
  return (
    complaints.length > 0 &&
    complaints.every(([, kind, text = ""]) => {
      const name = /^(@?[^@\s]+)@/.exec(text)?.[1];
      return kind === "Missing" && name !== undefined && optional.has(name);
    })
  );
}

/** @param {string} lockfile */
function optionalPackages(lockfile) {
  /** @type {{ packages?: Record<string, { optionalDependencies?: Record<string, string> }> }} */
  const { packages = {} } = JSON.parse(lockfile);
  return new Set(Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {})));
}
