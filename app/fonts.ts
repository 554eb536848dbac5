import localFont from "next/font/local";

// The layout uses these fonts only if the browser has already cached them (see `FontLoader`). Otherwise, a page would
// download 140 KB of fonts before its first rows. Next.js requires the paths to be string literals.

export const sansFont = localFont({
  src: "../node_modules/geist/dist/fonts/geist-sans/Geist-Variable.woff2",
  variable: "--font-geist-sans",
  weight: "100 900",
  display: "optional",
  preload: false,
});

export const monoFont = localFont({
  src: "../node_modules/geist/dist/fonts/geist-mono/GeistMono-Variable.woff2",
  variable: "--font-geist-mono",
  weight: "100 900",
  display: "optional",
  preload: false,
  adjustFontFallback: false,
});
