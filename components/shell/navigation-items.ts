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
} from "lucide-react";
import type { ConsolePage } from "../app/pages.ts";

/** Stands for a page where its name has no room. */
export const PAGE_ICONS: Readonly<Record<ConsolePage["name"], LucideIcon>> = {
  locks: Lock,
  owners: Users,
  events: ScrollText,
  targets: Database,
  formats: Shapes,
  audit: ClipboardList,
  docs: BookOpen,
  settings: Settings,
};

/** Pages with a place of their own in the bar of a phone; the others are in its sheet. */
export const PHONE_BAR_PAGES: readonly ConsolePage["name"][] = ["locks", "events"];
