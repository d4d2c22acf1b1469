// 简体中文。键与 en.ts 相同，少一个就无法编译。
import type { en } from './en'

export const zh: Record<keyof typeof en, string> = {
  'app.skip': '跳到正文',
  'app.home': 'loopwright，全部循环',
  'app.navigation': '主导航',
  'nav.loops': '循环',
  'theme.label': '配色',
  'theme.auto': '跟随系统',
  'theme.light': '浅色',
  'theme.dark': '深色',
  'language.label': '语言',
  'lost.title': '没有这个页面',
  'lost.back': '全部循环',

  'status.created': '已创建',
  'status.running': '运行中',
  'status.paused': '已暂停',
  'status.completed': '已完成',
  'status.failed': '已失败',
  'status.user_exit': '已离开',
  'status.parked': '等待额度',
  'outcome.succeeded': '成功',
  'outcome.unverified': '未验证',
  'outcome.exhausted': '迭代次数用尽',
  'outcome.stalled': '停滞',
  'outcome.over_budget': '超出预算',
  'outcome.stopped': '被停止',
  'outcome.failed': '失败',
}
