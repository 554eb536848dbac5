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

/** The names of the pages in the bar on phones. The phone menu contains the other pages. */
export const PHONE_BAR_PAGES: readonly ConsolePage["name"][] = ["locks", "events"];
