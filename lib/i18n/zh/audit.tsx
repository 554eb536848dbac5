import type { Messages } from "../en/messages.ts";

export const audit: Messages["audit"] = {
  namespace: "audit",
  title: "审计",
  forAdmins: "审计只对管理员开放",
  forAdminsText: "所有目标共用一条审计链，因此只有全局管理员可以查看。你不是全局管理员，请找管理员处理。",
  onItsWay: "正在查询。",
  lookAgain: "刷新",
  exportAs: (format) => `导出 ${format}`,
  exportCsv: "符合筛选条件的操作",
  exportJsonl: "完整的审计链，供 npm run audit:verify 校验；筛选条件中只有时间有效",
  actions: "操作",

  checking: "正在校验…",
  checkChain: "校验审计链",
  chainBusy: "正在校验审计链。",
  endsWith: (number) => `末条为第 ${number} 条，`,
  copyHash: "复制最新一条的哈希",
  checkedAt: (date) => `校验于 ${date}`,
  intact: (entries) => `审计链完整：共 ${entries} 条`,
  broken: "审计链已断裂",
  brokenAt: (number, why) => (
    <>
      审计链在第 {number} 条断裂：{why}
    </>
  ),

  filters: "筛选",
  search: "搜索审计",
  searchHint: "用户、键、原因、持有者或请求 ID",
  fewer: "收起筛选",
  more: "更多筛选",
  showAll: "显示全部",
  words: { who: "用户", action: "操作", at: "目标", key: "键", outcome: "结果" },
  anyName: "名称",
  anyTime: "任意时间",
  since: (from) => `${from} 起`,
  until: (to) => `至 ${to}`,
  fromTo: (from, to) => `${from} 至 ${to}`,
  when: "操作时间",
  from: "从",
  to: "到",
  toHint: "按此浏览器的时区。",
  endsBefore: "结束早于开始。",
  showThese: "应用",

  loadingOlder: "正在加载。",
  loading: "正在加载…",
  loadOlder: "加载更早的",
  begins: "审计从这里开始。",
  notKept: "更早的记录未保留。",
  nothing: "还没有记录",
  nothingText: "任何更改或释放，都会在执行前后记录在此。",
  noMatch: "没有匹配的操作",
  showAllActions: "显示所有操作",
  times: (count) => `${count} 次`,
  notRecorded: "结果未记录",
};
