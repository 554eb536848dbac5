import { cookies } from "next/headers";
import { LocksPage } from "@/components/locks-page/locks-page.tsx";
import { UiFlagsProvider } from "@/components/ui/ui-flags.tsx";
import { UI_FLAGS_COOKIE } from "@/components/ui/ui-flags-cookie.ts";

export default async function Page() {
  const kept = (await cookies()).get(UI_FLAGS_COOKIE)?.value ?? "";
  return (
    <UiFlagsProvider kept={kept}>
      <LocksPage />
    </UiFlagsProvider>
  );
}
