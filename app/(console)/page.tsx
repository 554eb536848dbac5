import { cookies } from "next/headers";
import { LocksPage } from "@/components/locks-page/locks-page.tsx";
import { KeptFlags } from "@/components/ui/ui-flags.tsx";
import { KEPT_FLAGS_COOKIE } from "@/components/ui/ui-flags-cookie.ts";

export default async function Page() {
  const kept = (await cookies()).get(KEPT_FLAGS_COOKIE)?.value ?? "";
  return (
    <KeptFlags kept={kept}>
      <LocksPage />
    </KeptFlags>
  );
}
