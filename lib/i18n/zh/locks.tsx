import type { Messages } from "../en/messages.ts";

export const locks: Messages["locks"] = {
  namespace: "locks",
  title: "锁",
  search: "搜索锁",
  searchHint: "键、持有者或记录；key:lock:orders:*  held>5m  waiters>0",
  unreachable: {
    title: "无法连接 Lockkeeper",
    text: () => (
      <>
        页面还在，但服务器没有响应。每隔几秒会自动重试并恢复。
        <code className="font-mono text-xs">npm start</code> 还在运行吗？
      </>
    ),
  },
  notifications: {
    off: (delays) => (
      <>
        <span className="font-medium text-warn">此 Redis 未开启通知：</span>
        {delays === undefined
          ? "其他客户端的变更会延迟显示，正在测量延迟…"
          : `锁的结束最迟 ${delays.ends} 后显示，新锁最迟 ${delays.newLocks} 后显示（实测）。`}
      </>
    ),
    advice: "要立即看到变更，请在 Redis 中运行以下命令，或以 LOCKKEEPER_NOTIFICATIONS=set 启动 Lockkeeper。",
    copy: "复制命令",
  },
};
