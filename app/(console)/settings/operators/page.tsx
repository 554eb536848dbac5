import { titled } from "@/app/language.ts";
import { OperatorsSettings } from "@/components/settings/operators-settings.tsx";

export const generateMetadata = titled("operators");

export default function Page() {
  return <OperatorsSettings />;
}
