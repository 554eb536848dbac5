import { headers } from "next/headers";
import { requestApi } from "@/app/api-request.ts";
import { resolveRequestLanguage } from "@/app/language.ts";
import { FirstRows, type FirstRowsMessages } from "@/components/locks-page/first-rows.tsx";
import type { FirstRowsProvider } from "@/components/locks-page/first-rows-provider.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { LockList } from "@/lib/contract/list.ts";
import { lock as englishLock } from "@/lib/i18n/en/lock.tsx";
import { table as englishTable } from "@/lib/i18n/en/table.tsx";
import type { Language } from "@/lib/i18n/language.ts";
import { lock as chineseLock } from "@/lib/i18n/zh/lock.tsx";
import { table as chineseTable } from "@/lib/i18n/zh/table.tsx";

const FIRST_ROWS = 30;
/** Timeout in ms for reading the list of locks. After the timeout, the page is sent without rows. */
const WAIT_MAX_MS = 500;

const MESSAGES: Readonly<Record<Language, FirstRowsMessages>> = {
  en: { lock: englishLock, table: englishTable },
  zh: { lock: chineseLock, table: chineseTable },
};

interface ListView {
  filter: string;
  sort: string;
  target: string | undefined;
}

type RenderedRows = Parameters<typeof FirstRowsProvider>[0]["first"];

/**
 * Renders the first rows of the list of locks when the browser loads a new document. Returns `null` if no lock matches
 * the filter or if the list cannot be read within 500 ms, for example because the user is not allowed to read locks.
 * Also returns `null` during navigation within the console, where the browser gets the rows from the live stream.
 */
export async function renderFirstRows(view: ListView): Promise<RenderedRows> {
  if ((await headers()).get("x-page-load") !== "document") return null;
  const list = await readFirstRows(view);
  if (list === undefined) return null;
  const targetQuery = view.target === undefined ? "" : `?target=${encodeURIComponent(view.target)}`;
  const rows = (
    <FirstRows
      locks={list.items}
      messages={MESSAGES[await resolveRequestLanguage()]}
      buildHref={(path) => `${BASE_PATH}${path}${targetQuery}`}
    />
  );
  return { ...view, rows };
}

async function readFirstRows({ filter, sort, target }: ListView): Promise<LockList | undefined> {
  const query = new URLSearchParams({ filter, sort, limit: String(FIRST_ROWS) });
  if (target !== undefined) query.set("target", target);
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, WAIT_MAX_MS));
  const response = await Promise.race([requestApi(`/locks?${query}`), timeout]);
  if (response?.ok !== true) return undefined;
  const { data } = LockList.safeParse(await response.json());
  return data === undefined || data.items.length === 0 ? undefined : data;
}
