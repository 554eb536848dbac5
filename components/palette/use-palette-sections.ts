"use client";

import { usePathname, useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { CONSOLE_PAGES } from "@/components/app/pages.ts";
import { isServerAdmin } from "@/components/app/permissions.ts";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { buildLockHref, toLockPath } from "@/components/lock-facts/lock-path.ts";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { palette } from "@/lib/i18n/en/palette.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { LANGUAGE_NAMES, LANGUAGES } from "@/lib/i18n/language.ts";
import { useLanguage, useMessages } from "@/lib/i18n/messages-provider.tsx";
import { encodeKeyPath, parseKeyFields } from "@/lib/keys/key.ts";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useLogout } from "@/lib/queries/access/logout.ts";
import { useFoundLocks } from "@/lib/queries/lock-search.ts";
import { useTargetName, useTargets } from "@/lib/queries/targets.ts";
import { describeFilterError, formatExactTerm } from "@/lib/query/filter.ts";
import { type PaletteCommand, useAllCommands } from "../app/command-registry.tsx";
import {
  filterCommands,
  moveLockToFront,
  type PaletteSection,
  removeEmptySections,
} from "./palette-sections.ts";

const LOCKS_SHOWN = 8;
const ATTENTION_LOCKS_SHOWN = 4;
const SETTINGS_PAGES = [
  { part: "you", isForAdmins: false },
  { part: "keys", isForAdmins: true },
  { part: "operators", isForAdmins: true },
  { part: "sessions", isForAdmins: false },
] as const;

export interface PaletteSections {
  sections: PaletteSection[];
  /** Whether the locks in the sections match the current text. `false` while a search is pending. */
  isSettled: boolean;
}

/**
 * Returns the sections of entries that match the typed text.
 *
 * @param searchText the typed text after a pause in typing, used for the search for locks
 */
export function usePaletteSections(typed: string, searchText: string, onHelp: () => void): PaletteSections {
  const messages = useMessages(palette);
  const here = useAllCommands();
  const pages = usePageCommands();
  const targets = useTargetCommands();
  const settings = useConsoleCommands(onHelp);
  const found = useFoundLockCommands(typed, searchText);
  const needsAttention = useAttentionCommands();
  const locks = { title: messages.locks, commands: found.commands };
  const sections = removeEmptySections([
    { title: messages.needsAttention, commands: typed === "" ? needsAttention.commands : [] },
    // If the text is a complete key, its lock precedes all commands. Otherwise, a command that contains the text would
    // come first.
    ...(found.isExact ? [locks] : []),
    { title: messages.here, commands: filterCommands(here, typed) },
    { title: messages.pages, commands: filterCommands(pages, typed) },
    { title: messages.targets, commands: filterCommands(targets, typed) },
    // Every text is also a search for locks, so commands that match the text come first.
    ...(found.isExact ? [] : [locks]),
    { title: messages.console, commands: filterCommands(settings, typed) },
  ]);
  const isSettled = typed === "" ? needsAttention.isSettled : typed === searchText && found.isSettled;
  return { sections, isSettled };
}

function useNavigate(): (href: string, target?: string) => void {
  const router = useRouter();
  const present = useTargetName();
  return (href, target = present) => router.push(buildTargetHref(href, target));
}

interface LockCommands {
  commands: PaletteCommand[];
  isSettled: boolean;
  /** Whether the first command opens the lock whose key equals the typed text. */
  isExact: boolean;
}

/**
 * Returns commands for the locks that match the text, and a command that searches the list of locks for the text. The
 * lock whose key equals the text comes first. If there is none, also returns a command that opens the page of that key.
 */
function useFoundLockCommands(typed: string, searchText: string): LockCommands {
  const messages = useMessages(palette);
  const go = useNavigate();
  const router = useRouter();
  const target = useTargetName();
  const text = typed.trim();
  const filter = describeFilterError(searchText) === undefined ? searchText.trim() : "";
  const { data, isFetching } = useFoundLocks(filter, LOCKS_SHOWN);
  const exact = useExactLock(text, searchText.trim());
  if (text === "") return { commands: [], isSettled: true, isExact: false };
  const items = filter === "" ? [] : (data?.items ?? []);
  const searchHref = `/?${new URLSearchParams({ q: text, ...(target === undefined ? {} : { target }) })}`;
  const search = {
    id: "search",
    name: messages.searchLocks(toVisibleText(text)),
    run: () => router.push(searchHref),
  };
  // The page of a lock also exists while no client holds the lock, because the page shows the history.
  const openFree = {
    id: "open",
    name: messages.openKey(toVisibleText(text)),
    hint: exact.state === "not_found" ? messages.notHeld : undefined,
    run: () => go(`/locks/${encodeKeyPath(text)}`),
  };
  const offersFree = exact.lock === undefined && !/\s/.test(text);
  return {
    commands: [
      ...moveLockToFront(items, exact.lock).map((lock) => toLockCommand(lock, messages, go)),
      search,
      ...(offersFree ? [openFree] : []),
    ],
    isSettled: !isFetching && exact.state !== "loading",
    isExact: exact.lock !== undefined,
  };
}

interface ExactLock {
  /** The lock whose key equals the typed text; `undefined` if there is none or it is not known. */
  lock: Lock | undefined;
  /** `unknown`: the locks cannot be read, or the text has changed since the search. */
  state: "loading" | "found" | "not_found" | "unknown";
}

/**
 * Finds the lock whose key equals the text. Searches for it separately, because many other keys can contain the text,
 * and the search for these returns only a few locks.
 *
 * @param searched the text for which locks are searched; can be older than `text`
 */
function useExactLock(text: string, searched: string): ExactLock {
  // A text that is not well-formed cannot be a key, because keys are valid UTF-8 or bytes.
  const filter = searched === "" || !searched.isWellFormed() ? "" : formatExactTerm("key", searched);
  const { data, isFetching, isPlaceholderData } = useFoundLocks(filter, 1);
  // The result can be that of an earlier text.
  const lock = data?.items.find((each) => parseKeyFields(each) === text);
  if (isFetching) return { lock, state: "loading" };
  if (lock !== undefined) return { lock, state: "found" };
  const isKnown = data !== undefined && !isPlaceholderData && searched === text;
  return { lock, state: isKnown ? "not_found" : "unknown" };
}

/** Returns commands for the locks that need attention. The palette shows these commands while the text is empty. */
function useAttentionCommands(): Pick<LockCommands, "commands" | "isSettled"> {
  const messages = useMessages(palette);
  const go = useNavigate();
  const { data, isFetching } = useFoundLocks("is:needs_attention", ATTENTION_LOCKS_SHOWN);
  const commands = (data?.items ?? []).map((lock) => toLockCommand(lock, messages, go));
  return { commands, isSettled: !isFetching };
}

function toLockCommand(lock: Lock, messages: typeof palette, go: (href: string) => void): PaletteCommand {
  return {
    id: `lock:${toLockPath(lock)}`,
    name: toVisibleText(lock.key),
    hint: formatLockHint(lock, messages),
    run: () => go(buildLockHref(lock)),
  };
}

function formatLockHint({ holders: [holder] }: Lock, messages: typeof palette): string {
  if (holder === undefined) return messages.free;
  return messages.heldBy(toVisibleText(holder.record?.service ?? holder.owner));
}

function usePageCommands(): PaletteCommand[] {
  const messages = useMessages(palette);
  const names = useMessages(shell);
  const { hello } = useLiveState();
  const pathname = usePathname();
  const go = useNavigate();
  const isAdmin = isServerAdmin(hello);
  const pages = CONSOLE_PAGES.filter(
    ({ isForAdmins, name }) => (isAdmin || !isForAdmins) && name !== "settings",
  ).map(({ href, name }) => ({ href, name: names.places[name] }));
  const settings = SETTINGS_PAGES.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ part }) => ({
    href: `/settings/${part}`,
    name: messages.settings[part],
  }));
  return [...pages, ...settings].map(({ href, name }) => ({
    id: `page:${href}`,
    name,
    hint: pathname === href ? messages.currentPage : undefined,
    run: () => go(href),
  }));
}

function useTargetCommands(): PaletteCommand[] {
  const messages = useMessages(palette);
  const targets = useTargets() ?? [];
  const present = useTargetName() ?? targets[0]?.name;
  const go = useNavigate();
  if (targets.length < 2) return [];
  return targets.map(({ name, label, address }) => ({
    id: `target:${name}`,
    name: label,
    hint: name === present ? messages.currentPage : address,
    run: () => go("/", name),
  }));
}

function useConsoleCommands(onHelp: () => void): PaletteCommand[] {
  const messages = useMessages(palette);
  const names = useMessages(shell);
  const { theme, setTheme } = useTheme();
  const { language, setLanguage } = useLanguage();
  const logout = useLogout();
  return [
    ...(["system", "light", "dark"] as const)
      .filter((each) => each !== theme)
      .map((each) => ({
        id: `theme:${each}`,
        name: messages.theme(names.themes[each]),
        run: () => setTheme(each),
      })),
    ...LANGUAGES.filter((each) => each !== language).map((each) => ({
      id: `language:${each}`,
      name: messages.language(LANGUAGE_NAMES[each]),
      run: () => setLanguage(each),
    })),
    { id: "keys", name: messages.keys, keys: "?", run: onHelp },
    { id: "logout", name: messages.logOut, run: () => logout.run() },
  ];
}
