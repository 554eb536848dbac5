import type { apiKeys } from "./en/api-keys.tsx";
import type { audit } from "./en/audit.tsx";
import type { auditDetails } from "./en/audit-details.tsx";
import type { docs } from "./en/docs.tsx";
import type { events } from "./en/events.ts";
import type { eventsPage } from "./en/events-page.ts";
import type { formatFacts } from "./en/format-facts.ts";
import type { free } from "./en/free.tsx";
import type { keysHelp } from "./en/keys-help.ts";
import type { lock } from "./en/lock.tsx";
import type { login } from "./en/login.tsx";
import type { operators } from "./en/operators.tsx";
import type { overview } from "./en/overview.ts";
import type { owners } from "./en/owners.ts";
import type { pages } from "./en/pages.tsx";
import type { palette } from "./en/palette.ts";
import type { problems } from "./en/problems.ts";
import type { settings } from "./en/settings.ts";
import type { shell } from "./en/shell.tsx";
import type { table } from "./en/table.tsx";
import type { titles } from "./en/titles.ts";
import type { ui } from "./en/ui.ts";

/** Every room's words: what a language has to say. English is their shape. */
export interface Words {
  apiKeys: typeof apiKeys;
  audit: typeof audit;
  auditDetails: typeof auditDetails;
  docs: typeof docs;
  events: typeof events;
  eventsPage: typeof eventsPage;
  formatFacts: typeof formatFacts;
  free: typeof free;
  keysHelp: typeof keysHelp;
  lock: typeof lock;
  login: typeof login;
  operators: typeof operators;
  overview: typeof overview;
  owners: typeof owners;
  pages: typeof pages;
  palette: typeof palette;
  problems: typeof problems;
  settings: typeof settings;
  shell: typeof shell;
  table: typeof table;
  titles: typeof titles;
  ui: typeof ui;
}
