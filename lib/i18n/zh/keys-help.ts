import type { Messages } from "../en/messages.ts";

export const keysHelp: Messages["keysHelp"] = {
  namespace: "keysHelp",
  title: "键盘快捷键",
  everything: "查找锁、页面和命令",
  search: "搜索",
  nextRow: "下一行",
  previousRow: "上一行",
  openLock: "打开锁",
  releaseLock: "释放锁…",
  copyLock: "复制锁的链接或命令",
  selectRow: "选择行；按住 Shift 连续选择",
  pause: "暂停或恢复列表更新",
  pauseEvents: "暂停或恢复事件流、回放",
  replayStep: "回放：后退或前进 5 秒",
  replayLongStep: "回放：后退或前进 30 秒",
  thisList: "显示此列表",
  close: "关闭、取消选择、退出搜索",
};
