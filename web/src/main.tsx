import './style/tokens.css'
import './style/base.css'
import './style/ui.css'
import './style/app.css'
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
