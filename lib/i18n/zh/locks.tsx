import type { Messages } from "../en/messages.ts";

export const locks: Messages["locks"] = {
  namespace: "locks",
  title: "锁",
  search: "搜索锁",
  searchHint: "键、所有者或所有者信息；key:lock:orders:*  held>5m  waiters>0",
  unreachable: {
    title: "无法连接 Lockkeeper",
    text: () => (
      <>
        服务器没有响应，页面每隔几秒自动重试。请确认 <code className="font-mono text-xs">npm start</code>{" "}
        仍在运行。
      </>
    ),
  },
  notifications: {
    off: (delays) => (
      <>
        <span className="font-medium text-warn">此 Redis 未开启键空间通知：</span>
        {delays === undefined
          ? "其他客户端的变更会延迟显示，正在测量延迟…"
          : `锁释放或过期后 ${delays.ends}内显示，新锁 ${delays.newLocks}内显示（实测）。`}
      </>
    ),
    advice: "要立即看到变更，请在 Redis 中执行以下命令，或以 LOCKKEEPER_NOTIFICATIONS=set 启动 Lockkeeper。",
    copy: "复制命令",
  },
};
