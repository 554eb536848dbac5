import { titled } from "@/app/language.ts";
import { KeysSettings } from "@/components/settings/keys-settings.tsx";

export const generateMetadata = titled("keys");

export default function Page() {
  return <KeysSettings />;
}
