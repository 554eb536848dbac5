// To add an attack, add an object to one of the lists, then run `npm run attacks` to update SECURITY.md.
import { ACCESS, LOGINS } from "./accounts.mjs";
import { CROSS_SITE } from "./browser.mjs";
import { HOSTILE_TEXT } from "./content.mjs";
import { QUOTA_ATTACKS } from "./quotas.mjs";
import { AUDIT_LOG, EVERYTHING } from "./record.mjs";
import { WATCHED_DATA } from "./watched-data.mjs";
import { ON_THE_WIRE } from "./wire.mjs";

/**
 * @typedef {object} Attack
 * @property {string} id stable identifier, such as `csrf/login`
 * @property {string} attack what the attacker does
 * @property {string} result what happens instead
 * @property {string} file path of the test file, relative to the repository root
 * @property {string} test title of the test. `%s` matches the parts that differ between the cases of the test, all of
 * which must pass
 */

/** @typedef {{ title: string, attacks: Attack[] }} AttackGroup */

/** @type {AttackGroup[]} */
export const ATTACK_GROUPS = [
  { title: "From another site", attacks: CROSS_SITE },
  { title: "Sessions and logins", attacks: LOGINS },
  { title: "More access than granted", attacks: ACCESS },
  { title: "On the wire", attacks: ON_THE_WIRE },
  { title: "Data in the watched Redis", attacks: WATCHED_DATA },
  { title: "Too many locks", attacks: QUOTA_ATTACKS },
  { title: "Hostile text", attacks: HOSTILE_TEXT },
  { title: "The audit log", attacks: AUDIT_LOG },
  { title: "Everything at once", attacks: EVERYTHING },
];

export const ATTACKS = ATTACK_GROUPS.flatMap(({ attacks }) => attacks);
