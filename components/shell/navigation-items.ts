import {
  BookOpen,
  ClipboardList,
  Database,
  Lock,
  type LucideIcon,
  ScrollText,
  Settings,
  Shapes,
  Users,
  Workflow,
} from "lucide-react";
import type { ConsolePage } from "../app/pages.ts";

/** The icons of the pages, for places without room for their names. */
export const PAGE_ICONS: Readonly<Record<ConsolePage["name"], LucideIcon>> = {
  locks: Lock,
  waits: Workflow,
  owners: Users,
  events: ScrollText,
  targets: Database,
  formats: Shapes,
  audit: ClipboardList,
  docs: BookOpen,
  settings: Settings,
};

/** The pages in the bar on phones, whose menu contains the other pages. */
export const PHONE_BAR_PAGES: readonly ConsolePage["name"][] = ["locks", "events"];
