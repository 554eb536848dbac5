import { titled } from "@/app/language.ts";
import { OwnersPage } from "@/components/owners/owners-page.tsx";

export const generateMetadata = titled("owners");

export default function Page() {
  return <OwnersPage />;
}
