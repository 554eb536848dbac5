import { createTitleMetadata } from "@/app/language.ts";
import { OperatorsSettings } from "@/components/settings/operators-settings.tsx";

export const generateMetadata = createTitleMetadata("operators");

export default function Page() {
  return <OperatorsSettings />;
}
