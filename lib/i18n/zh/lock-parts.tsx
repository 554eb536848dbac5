import type { Messages } from "../en/messages.ts";

export const lockParts: Messages["lockParts"] = {
  namespace: "lockParts",

  waiting: {
    title: (count) => `等待者：${count}`,
    titleNone: "等待者",
    orders: {
      by_process: "各进程按到达顺序服务自己的等待者，哪个进程先得锁不确定。",
      unknown: "等待者的顺序未知。",
    },
    known: {
      exact: "这是全部。",
      estimated: "按监听的客户端计数，每个至少有一个等待者。",
      unknown: "靠轮询等待的客户端无法看到。",
    },
    nobody: "无人等待。",
    nobodyListens: "没有客户端在监听其释放。",
    nobodySeen: "未见等待者。",
    unnamed: (count) => `另有 ${count} 个已计数，名称未知。`,
    notShown: (count) => `另有 ${count} 个未显示。`,
    next: "首位",
    place: (place) => `第 ${place} 位`,
    noPlace: "位次未知",
    since: (span) => `已等 ${span}`,
    sinceUnknown: "不知从何时开始",
    until: (span) => `${span} 后放弃`,
    untilOver: "即将放弃",
    untilDead: (span) => `${span} 内视为存活`,
    byLockkeeper: "经 Lockkeeper",
    byLibrary: "经其库",
    failed: "无法查看等待者。",
  },

  typical: {
    title: "通常情况",
    of: (pattern) => <>名称为 {pattern} 的锁</>,
    held: "持有",
    waited: "等待",
    none: "结束的持有太少，尚无法判断。",
    noneWaited: "尚无人经 Lockkeeper 等待过。",
    half: (p50, p95, longest) => `一半短于 ${p50}，二十次中十九次短于 ${p95}，最长 ${longest}。`,
    samples: (count) => `最近一天 ${count} 次，越早权重越低。`,
    now: "现在",
    waitedNow: (span) => `现在 ${span}`,
    asTypical: "此次持有时长正常。",
    pastP95: "此次持有比 95% 的持有更久。",
    times: (times) => `此次持有时长是通常的 ${times} 倍。`,
    waitsAsTypical: (span) => `最长的等待已 ${span}：与通常一样。`,
    waitsPast: (span) => `最长的等待已 ${span}：长于二十次中的十九次。`,
    waitsTimes: (span, times) => `最长的等待已 ${span}：是通常的 ${times} 倍。`,
    p50: "p50",
    p95: "p95",
  },

  owner: {
    title: (_count, shown) => `此持有者的另外 ${shown} 把锁`,
    freeAll: "全部释放…",
    freeAllHint: "此持有者的所有锁，包括这一个；每个都会先行复核",
    heldFor: "已持有 ",
    showAll: "在列表中显示全部",
  },

  raw: {
    title: "在 Redis 中",
    copy: "复制用于查看的命令",
    show: "显示其内容",
    hide: "隐藏其内容",
    silent: (master) => `${master} 没有答复。`,
    master: (name) => `${name}：`,
    none: "没有这个键。",
    endless: "，永不过期",
    left: (span) => `，剩余 ${span}`,
    caption: "键的内容",
    notShown: (count) => `另有 ${count} 项未显示。`,
    beginning: (bytes) => `${bytes} 字节的开头。`,
    binary: (bytes, base64) => `${bytes} 字节，不是文本；base64：${base64}`,
  },

  note: "备注…",
  mayNotWrite: "你在此目标的角色可以查看，不能写入。",
  moreTime: "延长时间…",
  nothingToProlong: "它永不过期：没有可延长的。",
  waitForAnswer: "正在等待答复",
  noteSheet: {
    title: "留给下一位查看者的备注",
    empty: "请写点什么。",
    by: (name) => `显示为 ${name} 所写`,
    remove: "删除备注",
    save: "保存备注",
    label: "备注",
    hint: "纯文本，保留三十天。不会写入此 Redis。",
    example: "mei 正在处理",
    about: "关于",
    hold: "此次持有，随之结束",
    key: "此键，无论谁持有",
  },
  extend: {
    title: "延长时间",
    nameFormat: "请指明其格式。",
    sayWhy: "请说明原因。",
    by: (name) => `将以 ${name} 的名义连同原因记录`,
    whateverNow: "无论现在由谁持有",
    give: "给它时间",
    has: (who, left) => (
      <>
        {who} 还剩 {left}。它至少得到此处所选的时间，绝不会少于现有的；不会通知持有者本身。
      </>
    ),
    label: "从现在起它有",
    minutes: (minutes) => (minutes < 60 ? `${minutes} 分钟` : `${minutes / 60} 小时`),
    format: "其格式",
    noFormat: "仅凭形状无法判定…",
    lasts: {
      to_its_end: "无人会缩短它。",
      until_renewed: "其库会续期，届时设定自己的时间，可能更短。",
      unknown: "其库在下一次续期时可能设定自己的时间。",
    },
    left: (span) => `剩余 ${span}`,
    noTtl: "无 TTL",
    extended: (has) => `现在${has}。`,
    already: (has) => `已经${has}：未做任何操作。`,
    holdOf: (owner, lasts) => (
      <>
        {owner} 的持有。{lasts}
      </>
    ),
  },
};
