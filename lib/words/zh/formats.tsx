import type { Words } from "../all-words.ts";

export const formats: Words["formats"] = {
  room: "formats",
  title: "格式",
  looking: "正在查询…",
  again: "重试",
  rules: "规则",
  rulesIntro:
    "多个库写入 Redis 的内容可能相同。规则指明某类名称的键属于哪个库，以第一条匹配的为准。此后这些键的锁即为确定，并按该库的方式释放。",
  noRules: "没有规则：键是什么，只由其名称和形状判断。",
  fromConfiguration: "来自配置",
  removeRuleFor: (pattern) => `移除 ${pattern} 的规则`,
  waiting: "正在等待答复",
  adminsOnly: "规则由管理员更改。",
  keys: "键",
  format: "格式",
  chooseFormat: "格式…",
  sayKeys: "请填写适用于哪些键。",
  sayFormat: "请选择格式。",
  preview: "预览规则",
  change: {
    adding: (pattern, format) => (
      <>
        若规定 {pattern} 为 {format}，将有以下变化
      </>
    ),
    removing: (pattern) => <>若移除 {pattern} 的规则，将有以下变化</>,
    looking: "正在按新规则读取各锁…",
    nothing: "当前持有的锁读法都不变。",
    count: (count) => `${count} 把锁`,
    noLock: "不是锁",
    affected: (affected, held) => `当前持有的 ${held} 把锁中，该规则适用于 ${affected} 把。`,
    cut: (looked) => `只查看了其中 ${looked} 把。`,
    scannedAll: (scanned) => `另查看了全部 ${scanned} 个键。`,
    scannedSome: (scanned) => `另查看了 ${scanned} 个键，并非全部：可能还有更多。`,
    add: "添加规则",
    remove: "移除规则",
    cancel: "取消",
  },
  confidences: { certain: "确定", likely: "很可能", possible: "可能" },
  notWatched: "未监视的锁",
  finder: {
    find: "查找锁",
    findAgain: "重新查找锁",
    goOn: "继续",
    stop: "停止",
    idle: "遍历所有键，无论是否监视，占用五分之一的时间。",
    progress: "查找进度",
    running: (scanned, of) => (of === null ? `已查看 ${scanned} 个键…` : `已查看 ${scanned} / ${of} 个键…`),
    ended: (scanned, of, found, soFar) =>
      `已查看 ${scanned}${of === null ? "" : ` / ${of}`} 个键：${soFar ? "目前" : ""}${found ? "结果如下" : "未发现锁"}。`,
    failed: "Redis 没有答复。再次启动即可继续。",
    under: "位于",
    sure: (confidence, isWatched) => `${confidence}${isWatched ? "，已监视" : ""}`,
    toWatch: "如需一并监视，请设置下列变量并重新启动 Lockkeeper：",
    copySetting: "复制设置",
  },
  known: "已知的格式",
  stop: "。",
  spoken: "本 API 也以此格式获取锁。",
  renewed: "其持有者会自动续约。",
  never: "此处从不释放。",
};
