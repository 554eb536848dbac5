"use client";

import { usePathname, useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { PLACES } from "@/components/app/pages.ts";
import { isServerAdmin } from "@/components/app/permissions.ts";
import { hrefAt } from "@/components/app/target-link.tsx";
import { hrefOf, pathOf } from "@/components/lock-facts/lock-path.ts";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { palette } from "@/lib/i18n/en/palette.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { LANGUAGE_NAMES, LANGUAGES } from "@/lib/i18n/language.ts";
import { useLanguage, useWords } from "@/lib/i18n/messages-provider.tsx";
import { pathOfKey } from "@/lib/keys/key.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { useFoundLocks } from "@/lib/queries/lock-search.ts";
import { useLogout } from "@/lib/queries/session.ts";
import { useTargetName, useTargets } from "@/lib/queries/targets.ts";
import { faultOfFilter } from "@/lib/query/filter.ts";
import { type Command, useAllCommands } from "../app/command-registry.tsx";
import { filled, matching, type Section } from "./palette-sections.ts";

const LOCKS_SHOWN = 8;
const ABNORMAL_SHOWN = 4;
const SETTINGS = [
  { part: "you", isForAdmins: false },
  { part: "keys", isForAdmins: true },
  { part: "operators", isForAdmins: true },
  { part: "sessions", isForAdmins: false },
] as const;

/** All that the palette offers for what was typed. @param asked what was typed, once the typing rests */
export function useSections(typed: string, asked: string, onHelp: () => void): Section[] {
  const words = useWords(palette);
  const here = useAllCommands();
  const pages = usePages();
  const targets = useTargetCommands();
  const settings = useConsoleCommands(onHelp);
  const locks = useLockCommands(typed, asked);
  const abnormal = useAbnormalCommands();
  return filled([
    { title: words.abnormal, commands: typed === "" ? abnormal : [] },
    { title: words.here, commands: matching(here, typed) },
    { title: words.pages, commands: matching(pages, typed) },
    { title: words.targets, commands: matching(targets, typed) },
    // Any text is a search for locks, so whatever goes by that very name stands before it.
    { title: words.locks, commands: locks },
    { title: words.console, commands: matching(settings, typed) },
  ]);
}

function useGo(): (href: string, target?: string) => void {
  const router = useRouter();
  const present = useTargetName();
  return (href, target = present) => router.push(hrefAt(href, target));
}

/** The locks that are held and match, and the ways to look for what was typed. */
function useLockCommands(typed: string, asked: string): Command[] {
  const words = useWords(palette);
  const go = useGo();
  const router = useRouter();
  const target = useTargetName();
  const text = typed.trim();
  const filter = faultOfFilter(asked) === undefined ? asked.trim() : "";
  const { data } = useFoundLocks(filter, LOCKS_SHOWN);
  if (text === "") return [];
  const found = filter === "" ? [] : (data?.items ?? []);
  const isKey = found.some(({ key }) => key === text);
  const searchHref = `/?${new URLSearchParams({ q: text, ...(target === undefined ? {} : { target }) })}`;
  return [
    ...found.map((lock) => commandOf(lock, words, go)),
    { id: "search", name: words.searchLocks(visibleText(text)), run: () => router.push(searchHref) },
    // Whoever has a key in hand wants its page, and its history is there also when nobody holds it.
    ...(isKey || /\s/.test(text)
      ? []
      : [
          {
            id: "open",
            name: words.openKey(visibleText(text)),
            hint: words.notHeld,
            run: () => go(`/locks/${pathOfKey(text)}`),
          },
        ]),
  ];
}

/** What somebody who was woken up looks for, before a word is typed. */
function useAbnormalCommands(): Command[] {
  const words = useWords(palette);
  const go = useGo();
  const { data } = useFoundLocks("is:abnormal", ABNORMAL_SHOWN);
  return (data?.items ?? []).map((lock) => commandOf(lock, words, go));
}

function commandOf(lock: Lock, words: typeof palette, go: (href: string) => void): Command {
  return {
    id: `lock:${pathOf(lock)}`,
    name: visibleText(lock.key),
    hint: hintOf(lock, words),
    run: () => go(hrefOf(lock)),
  };
}

function hintOf({ holders: [holder] }: Lock, words: typeof palette): string {
  if (holder === undefined) return words.free;
  return words.heldBy(visibleText(holder.record?.service ?? holder.owner));
}

function usePages(): Command[] {
  const words = useWords(palette);
  const names = useWords(shell);
  const { hello } = useLive();
  const pathname = usePathname();
  const go = useGo();
  const isAdmin = isServerAdmin(hello);
  const pages = PLACES.filter(
    ({ isForAdmins, name }) => (isAdmin || !isForAdmins) && name !== "settings",
  ).map(({ href, name }) => ({ href, name: names.places[name] }));
  const settings = SETTINGS.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ part }) => ({
    href: `/settings/${part}`,
    name: words.settings[part],
  }));
  return [...pages, ...settings].map(({ href, name }) => ({
    id: `page:${href}`,
    name,
    hint: pathname === href ? words.hereAlready : undefined,
    run: () => go(href),
  }));
}

function useTargetCommands(): Command[] {
  const words = useWords(palette);
  const targets = useTargets() ?? [];
  const present = useTargetName() ?? targets[0]?.name;
  const go = useGo();
  if (targets.length < 2) return [];
  return targets.map(({ name, label, address }) => ({
    id: `target:${name}`,
    name: label,
    hint: name === present ? words.hereAlready : address,
    run: () => go("/", name),
  }));
}

function useConsoleCommands(onHelp: () => void): Command[] {
  const words = useWords(palette);
  const names = useWords(shell);
  const { theme, setTheme } = useTheme();
  const { language, speak } = useLanguage();
  const logout = useLogout();
  return [
    ...(["system", "light", "dark"] as const)
      .filter((each) => each !== theme)
      .map((each) => ({
        id: `theme:${each}`,
        name: words.theme(names.themes[each]),
        run: () => setTheme(each),
      })),
    ...LANGUAGES.filter((each) => each !== language).map((each) => ({
      id: `language:${each}`,
      name: words.language(LANGUAGE_NAMES[each]),
      run: () => speak(each),
    })),
    { id: "keys", name: words.keys, keys: "?", run: onHelp },
    { id: "logout", name: words.logOut, run: () => logout.mutate() },
  ];
}
