/** Set once the browser has the fonts in its cache. Until then pages use the fonts of the system. */
export const FONTS_COOKIE = "lockkeeper_fonts";
