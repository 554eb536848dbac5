import type { Messages } from "../en/messages.ts";

export const pages: Messages["pages"] = {
  namespace: "pages",
  broke: "本页出错了",
  nothingDone: "没有对任何锁做过操作。",
  inLog: (digest) => `服务器日志中的编号为 ${digest}。`,
  nothingHere: "此地址没有内容",
  addressOfLock: (start) => <>锁的页面地址是 {start} 加上百分号编码后的键。</>,
  allLocks: "所有锁",
};
