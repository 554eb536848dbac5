import type { Messages } from "../en/messages.ts";

export const pages: Messages["pages"] = {
  namespace: "pages",
  pageFailed: "本页出错了",
  noLockChanged: "没有对任何锁做过操作。",
  errorId: (digest) => `服务器日志中的编号为 ${digest}。`,
  notFound: "此地址没有内容",
  addressOfLock: (start) => <>锁的页面地址是 {start} 加上百分号编码后的键。</>,
  allLocks: "所有锁",
};
