"use client";

import dynamic from "next/dynamic";

/** Login page in a separate chunk, so that layouts that rarely show it do not bundle it. */
export const LazyLoginPage = dynamic(() => import("./login-page.tsx").then((module) => module.LoginPage));
