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
        没有锁匹配 {filter}。所有条件须同时满足：普通词会搜索键、所有者和所有者信息；
        {renderCode("key:GLOB")} 和 {renderCode("owner:GLOB")} 只搜索对应字段；{renderCode("held>5m")}{" "}
        用于比较。
      </>
    ),
  },
  notASearch: {
    title: "搜索语法有误",
    text: "错误说明见搜索框下方。",
  },
  neverReached: {
    title: (label) => `尚未连接到 ${label}`,
    text: (address) => <>Lockkeeper 正在连接 {address}，每隔几秒重试一次，连接成功后页面会自动更新。</>,
    textSince: (address, since) => (
      <>
        自 {since} 起，Lockkeeper 一直在尝试连接 {address}
        ，每隔几秒重试一次，连接成功后页面会自动更新。
      </>
    ),
    aside: (ago) => `（${ago}）`,
    allTargets: "所有目标及其状态",
  },
  refused: {
    title: "无法打开此目标",
    text: (name) => <>目标 {name} 不存在，或者你没有访问权限。可以打开的目标：</>,
    noTargets: "没有任何目标的访问权限",
    noTargetsAdvice: "你在所有目标上都没有角色，请联系管理员分配。",
    logOut: "退出登录",
    logOutFailed: "无法退出登录，请重试",
  },
  nothingHeld: {
    title: "当前没有锁被持有",
    text: "客户端获取锁后，锁会立即显示在这里。可以用以下命令试试：",
    keyAndOthers: (patterns) => (
      <>
        请将 {renderCode("LOCKKEEPER_API_KEY")} 设为在“设置”中创建的 API 密钥。其他客户端（例如
        Redisson）的锁，只要键匹配 {patterns}，也会列出。没看到某把锁？
      </>
    ),
  },
};
