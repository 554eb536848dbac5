import { createTitleMetadata } from "@/app/language.ts";
import { AppConnectionSettings } from "@/components/settings/app-connection.tsx";
import { KeysSettings } from "@/components/settings/keys-settings.tsx";

export const generateMetadata = createTitleMetadata("keys");

export default function Page() {
  return (
    <>
      <KeysSettings />
      <AppConnectionSettings />
    </>
  );
}
