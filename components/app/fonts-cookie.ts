/** Name of the cookie that is set once the browser has cached the fonts. Without the cookie, pages use system fonts. */
export const FONTS_COOKIE = "lockkeeper_fonts";
