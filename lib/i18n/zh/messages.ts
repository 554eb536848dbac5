import type { Messages } from "../en/messages.ts";
import { apiKeys } from "./api-keys.tsx";
import { audit } from "./audit.tsx";
import { auditNames } from "./audit-names.ts";
import { bulk } from "./bulk.ts";
import { docs } from "./docs.tsx";
import { emptyLocks } from "./empty-locks.tsx";
import { events } from "./events.ts";
import { eventsPage } from "./events-page.ts";
import { facetSide } from "./facet-side.ts";
import { facets } from "./facets.ts";
import { formatFacts } from "./format-facts.ts";
import { formats } from "./formats.tsx";
import { keysHelp } from "./keys-help.ts";
import { lock } from "./lock.tsx";
import { lockCopy } from "./lock-copy.ts";
import { lockKinds } from "./lock-kinds.tsx";
import { lockPage } from "./lock-page.tsx";
import { lockParts } from "./lock-parts.tsx";
import { locks } from "./locks.tsx";
import { login } from "./login.tsx";
import { operators } from "./operators.tsx";
import { overview } from "./overview.ts";
import { owners } from "./owners.ts";
import { pages } from "./pages.tsx";
import { palette } from "./palette.ts";
import { problemPages } from "./problem-pages.ts";
import { problems } from "./problems.ts";
import { release } from "./release.tsx";
import { releaseRequest } from "./release-request.tsx";
import { search } from "./search.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.tsx";
import { table } from "./table.tsx";
import { targets } from "./targets.ts";
import { timeline } from "./timeline.ts";
import { titles } from "./titles.ts";
import { ui } from "./ui.ts";
import { unlisted } from "./unlisted.ts";
import { viewTools } from "./view-tools.ts";
import { views } from "./views.ts";
import { waits } from "./waits.tsx";

export const zh: Messages = {
  apiKeys,
  audit,
  auditNames,
  bulk,
  docs,
  emptyLocks,
  events,
  eventsPage,
  facetSide,
  facets,
  formatFacts,
  formats,
  release,
  releaseRequest,
  keysHelp,
  lock,
  lockCopy,
  lockKinds,
  lockPage,
  lockParts,
  locks,
  login,
  operators,
  overview,
  owners,
  pages,
  palette,
  problemPages,
  problems,
  search,
  settings,
  shell,
  table,
  targets,
  timeline,
  titles,
  ui,
  unlisted,
  viewTools,
  views,
  waits,
};
