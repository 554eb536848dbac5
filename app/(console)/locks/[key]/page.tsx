import type { Metadata } from "next";
import { LockPage } from "@/components/lock/lock-page.tsx";

export const metadata: Metadata = { title: "Lock" };

export default function Page() {
  return <LockPage />;
}
