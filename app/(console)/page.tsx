import { cookies } from "next/headers";
import { FirstRowsProvider } from "@/components/locks-page/first-rows-provider.tsx";
import { parseListUrl } from "@/components/locks-page/list-url.ts";
import { LocksPage } from "@/components/locks-page/locks-page.tsx";
import { UiFlagsProvider } from "@/components/ui/ui-flags.tsx";
import { UI_FLAGS_COOKIE } from "@/components/ui/ui-flags-cookie.ts";
import { renderFirstRows } from "./first-rows.tsx";

interface LocksRouteProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: LocksRouteProps) {
  const [query, received] = await Promise.all([searchParams, cookies()]);
  const { filter, fault, sort } = parseListUrl(readText(query.q), readText(query.sort));
  const first =
    fault === undefined ? await renderFirstRows({ filter, sort, target: readText(query.target) }) : null;
  return (
    <UiFlagsProvider kept={received.get(UI_FLAGS_COOKIE)?.value ?? ""}>
      <FirstRowsProvider first={first}>
        <LocksPage />
      </FirstRowsProvider>
    </UiFlagsProvider>
  );
}

function readText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
