// Observes Jest, whoever starts it, by one more reporter in the configuration that it has read.
'use strict'

const Module = require('node:module')
const path = require('node:path')
const { Log, words } = require('./loopwright_log.cjs')

const SKIPPED = new Set(['pending', 'skipped', 'todo', 'disabled'])

function watch(order) {
  const load = Module._load
  const known = new WeakMap()
  Module._load = function (request) {
    const loaded = load.apply(this, arguments)
    if (request !== 'jest-config' || typeof loaded.readConfigs !== 'function') return loaded
    if (!known.has(loaded)) known.set(loaded, observed(loaded, order))
    return known.get(loaded)
  }
}

// What the module exports are getters that cannot be replaced: something before it answers first.
function observed(loaded, order) {
  order.restore()
  const readConfigs = async (...given) => {
    const read = await loaded.readConfigs(...given)
    return { ...read, globalConfig: Object.freeze(extended(read.globalConfig, order)) }
  }
  return Object.create(loaded, { readConfigs: { value: readConfigs, enumerable: true } })
}

function extended(config, order) {
  const place = { folder: order.folder, root: order.root }
  const reporters = [...(config.reporters ?? [['default', {}]]), [__filename, place]]
  const report = [path.join(__dirname, 'loopwright_istanbul.cjs'), place]
  // A failure must not hide those after it.
  const common = { ...config, reporters, bail: 0 }
  if (config.collectCoverage) return { ...common, coverageReporters: [...config.coverageReporters, report] }
  // V8 measures without changing the code; what is measured unasked leaves no files and cannot fail the run.
  const directory = path.join(order.folder, 'jest-coverage')
  const measure = { collectCoverage: true, coverageProvider: 'v8', coverageDirectory: directory }
  return { ...common, ...measure, coverageReporters: [report], coverageThreshold: undefined }
}

class Reporter {
  constructor(globalConfig, order) {
    this.log = new Log(order, 'jest')
  }

  onRunStart() {
    this.log.write('begin')
  }

  onTestFileStart(test) {
    this.log.write('start', { file: this.log.fileOf(test.path), path: [], token: test.path })
  }

  onTestCaseStart(test, info) {
    const names = [...info.ancestorTitles, info.title]
    this.log.write('start', { file: this.log.fileOf(test.path), path: names, token: token(test, names) })
  }

  // A retry may follow: what counts is what the file's own result says in the end.
  onTestCaseResult(test, result) {
    this.write('provisional', test, result)
  }

  onTestFileResult(test, file) {
    for (const result of file.testResults) this.write('result', test, result)
    if (file.testResults.length === 0 && !file.skipped) {
      const told = words(file.testExecError?.message ?? file.failureMessage, file.failureMessage)
      const place = { file: this.log.fileOf(test.path), path: [], token: test.path }
      this.log.write('result', { ...place, status: 'failed', ms: 0, ...told })
    }
    this.log.write('done', { token: test.path })
  }

  onRunComplete(contexts, results) {
    if (!results.wasInterrupted) this.log.write('end', { status: results.success ? 0 : 1 })
  }

  write(kind, test, result) {
    const names = [...result.ancestorTitles, result.title]
    const status = SKIPPED.has(result.status) ? 'skipped' : result.status === 'passed' ? 'passed' : 'failed'
    const text = (result.failureMessages ?? []).join('\n')
    const told = status === 'failed' ? words(text.split(/\n\s+at /)[0], text) : { message: '', trace: '' }
    const file = this.log.fileOf(test.path)
    this.log.write(kind, { file, path: names, token: token(test, names), status, ms: result.duration ?? 0, ...told })
  }
}

function token(test, names) {
  return [test.path, ...names].join('\0')
}

module.exports = Reporter
module.exports.watch = watch
