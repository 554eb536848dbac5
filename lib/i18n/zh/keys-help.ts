import type { Messages } from "../en/messages.ts";

export const keysHelp: Messages["keysHelp"] = {
  namespace: "keysHelp",
  title: "快捷键",
  everything: "所有锁、页面和命令",
  search: "搜索",
  nextRow: "下一行",
  previousRow: "上一行",
  openLock: "打开该锁",
  releaseLock: "释放该锁…",
  copyLock: "把该锁复制为链接或命令",
  selectRow: "勾选该行；按住 Shift 则连选到该行",
  pause: "暂停、继续",
  pauseEvents: "暂停、继续事件流或回放",
  replayStep: "回放：后退、前进 5 s",
  replayLongStep: "回放：后退、前进 30 s",
  thisList: "本列表",
  close: "关闭、取消勾选、退出搜索",
};
