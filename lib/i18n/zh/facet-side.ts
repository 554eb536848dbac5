import type { Messages } from "../en/messages.ts";

export const facetSide: Messages["facetSide"] = {
  namespace: "facetSide",
  title: "筛选",
  hide: "收起筛选",
  close: "关闭筛选",
  clear: (count) => `清除 ${count} 项`,
  clearLong: (count) => `清除 ${count} 项筛选`,
  set: "当前筛选",
  remove: (term) => `移除筛选 ${term}`,
  openWith: (count) => (count === 0 ? "筛选" : `筛选，已启用 ${count} 项`),
};
