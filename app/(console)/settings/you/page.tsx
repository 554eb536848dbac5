import { createTitleMetadata } from "@/app/language.ts";
import { AccountSettings } from "@/components/settings/account-settings.tsx";
import { AppearanceSettings } from "@/components/shell/appearance-settings.tsx";

export const generateMetadata = createTitleMetadata("settings");

export default function Page() {
  return (
    <>
      <AccountSettings />
      <AppearanceSettings />
    </>
  );
}
