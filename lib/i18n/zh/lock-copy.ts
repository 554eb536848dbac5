import type { Messages } from "../en/messages.ts";

export const lockCopy: Messages["lockCopy"] = {
  namespace: "lockCopy",
  title: "复制…",
  titleHint: "复制…（c）",
  of: (key) => `复制 ${key} 的内容`,
  link: "本页链接",
  key: "键",
  owner: "持有者",
  owners: (count) => `全部 ${count} 个持有者，每行一个`,
  noOwner: "无人持有。",
  curl: "调用 API 的 curl 命令",
  show: "查看它的 redis-cli 命令",
  free: "释放它的 redis-cli 命令",
  freeHint: "仅当仍由该持有者持有时释放；不询问，不留记录",
  freeNot: "释放它需要不止一次比较：请在控制台中释放。",
  copied: (what) => `已复制：${what}`,
  notCopied: "浏览器不允许本页复制。",
};
