import type { Messages } from "../en/messages.ts";

export const pages: Messages["pages"] = {
  namespace: "pages",
  pageFailed: "页面出错了",
  noLockChanged: "没有更改任何锁。",
  errorId: (digest) => `服务器日志中的错误 ID：${digest}`,
  notFound: "找不到页面",
  addressOfLock: (start) => <>锁的页面地址是 {start} 加上经过百分号编码的键。</>,
  allLocks: "所有锁",
};
