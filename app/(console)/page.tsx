import { cookies } from "next/headers";
import { LocksPage } from "@/components/locks/locks-page.tsx";
import { KeptFlags } from "@/components/ui/kept-flags.tsx";
import { KEPT_FLAGS_COOKIE } from "@/components/ui/kept-flags-cookie.ts";

export default async function Page() {
  const kept = (await cookies()).get(KEPT_FLAGS_COOKIE)?.value ?? "";
  return (
    <KeptFlags kept={kept}>
      <LocksPage />
    </KeptFlags>
  );
}
