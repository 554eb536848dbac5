import type { Messages } from "../en/messages.ts";

const renderCode = (text: string) => <code className="font-mono text-xs">{text}</code>;

export const emptyLocks: Messages["emptyLocks"] = {
  namespace: "emptyLocks",
  clear: "清除搜索",
  copy: "复制命令",
  notFound: {
    title: "没有匹配的锁",
    text: (filter) => (
      <>
        当前持有的锁都不匹配 {filter}。所有词都须匹配：普通词在键、持有者和记录中查找；
        {renderCode("key:GLOB")} 和 {renderCode("owner:GLOB")} 只查其中一项；{renderCode("held>5m")}{" "}
        用于比较。
      </>
    ),
  },
  notASearch: {
    title: "无法理解此搜索",
    text: "错误说明在搜索框下方。没有据此查询，因此不显示任何锁。",
  },
  neverReached: {
    title: (label) => `尚未连接到 ${label}`,
    text: (address) => (
      <>Lockkeeper 正在尝试连接 {address}，暂无可显示的锁。每隔几秒会重试，页面会自动恢复。</>
    ),
    textSince: (address, since) => (
      <>
        自 {since} 起，Lockkeeper 一直在尝试连接 {address}
        ，暂无可显示的锁。每隔几秒会重试，页面会自动恢复。
      </>
    ),
    aside: (ago) => `（${ago}）`,
    allTargets: "所有目标及其状态",
  },
  nothingHeld: {
    title: "没有被持有的锁",
    text: "客户端获取锁后，锁会立即显示在这里。试着获取一个，一秒内即可看到：",
    keyAndOthers: (patterns) => (
      <>
        请将 {renderCode("LOCKKEEPER_API_KEY")} 设为在“设置”中创建的 API 密钥。其他客户端（例如
        Redisson）的锁，只要键匹配 {patterns}，也会列出。有锁没有显示？
      </>
    ),
  },
};
