// The order of the sheets is that of the cascade.
import './style/tokens.css'
import './style/base.css'
import './style/ui.css'
import './style/app.css'
import './run/page.css'
import './run/transcript.css'
import './run/sections.css'
import './cycle/cycle.css'
import './actions/actions.css'
import 'uplot/dist/uPlot.min.css'
import './lists/lists.css'
import './board/board.css'
import './tuning/tuning.css'
import './fleet/fleet.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app/App'
import { language } from './i18n'

effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en'
})

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no #app')
render(<App />, root)
