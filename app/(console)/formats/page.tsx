import { titled } from "@/app/language.ts";
import { FormatsPage } from "@/components/formats/formats-page.tsx";

export const generateMetadata = titled("formats");

export default function Page() {
  return <FormatsPage />;
}
