"use client";

import dynamic from "next/dynamic";

/** The login page as a separate chunk, for layouts that rarely show it. */
export const LazyLoginPage = dynamic(() => import("./login-page.tsx").then((module) => module.LoginPage));
