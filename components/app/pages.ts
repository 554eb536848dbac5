import type { shell } from "@/lib/i18n/en/shell.tsx";

export interface ConsolePage {
  href: string;
  name: keyof typeof shell.places;
  /**
   * Whether the page is for admins only. The navigation hides the page from other operators, whose requests the server
   * refuses.
   */
  isForAdmins?: true;
  covers(pathname: string): boolean;
}

export const CONSOLE_PAGES: readonly ConsolePage[] = [
  { href: "/", name: "locks", covers: (pathname) => pathname === "/" || pathname.startsWith("/locks/") },
  { href: "/waits", name: "waits", covers: (pathname) => pathname === "/waits" },
  { href: "/owners", name: "owners", covers: (pathname) => pathname === "/owners" },
  { href: "/events", name: "events", covers: (pathname) => pathname === "/events" },
  { href: "/targets", name: "targets", covers: (pathname) => pathname === "/targets" },
  { href: "/formats", name: "formats", covers: (pathname) => pathname === "/formats" },
  { href: "/audit", name: "audit", isForAdmins: true, covers: (pathname) => pathname === "/audit" },
  { href: "/docs", name: "docs", covers: (pathname) => pathname === "/docs" },
  {
    href: "/settings/you",
    name: "settings",
    covers: (pathname) => pathname.startsWith("/settings/"),
  },
];

const TARGET_PAGES: ReadonlySet<ConsolePage["name"]> = new Set([
  "locks",
  "waits",
  "owners",
  "events",
  "formats",
]);

/** Returns whether the page at `pathname` shows a single target. */
export function isTargetPage(pathname: string): boolean {
  return CONSOLE_PAGES.some(({ name, covers }) => TARGET_PAGES.has(name) && covers(pathname));
}
