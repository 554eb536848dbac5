/**
 * Returns the faults in the changelog that prevent the release of a version.
 *
 * @param {string} changelog
 * @param {string} version
 * @returns {string[]}
 */
export function findChangelogFaults(changelog, version) {
  const sections = new Map(
    changelog
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf("\n");
        return [section.slice(0, end).trim(), section.slice(end).trim()];
      }),
  );
  const faults = [];
  if ((sections.get("Upcoming") ?? "") !== "")
    faults.push(`CHANGELOG.md has changes under "Upcoming"; move them to the section of ${version}`);
  const [title] = [...sections.keys()].filter((each) => each.split(" ", 1)[0] === version);
  if (title === undefined) return [...faults, `CHANGELOG.md has no section "${version} (YYYY-MM-DD)"`];
  if (!/^\S+ \(\d{4}-\d\d-\d\d\)$/.test(title))
    faults.push(`the section "${title}" of CHANGELOG.md has no date; write "${version} (YYYY-MM-DD)"`);
  if ((sections.get(title) ?? "") === "") faults.push(`the section "${title}" of CHANGELOG.md is empty`);
  return faults;
}
