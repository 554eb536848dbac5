import { createTitleMetadata } from "@/app/language.ts";
import { KeysSettings } from "@/components/settings/keys-settings.tsx";

export const generateMetadata = createTitleMetadata("keys");

export default function Page() {
  return <KeysSettings />;
}
