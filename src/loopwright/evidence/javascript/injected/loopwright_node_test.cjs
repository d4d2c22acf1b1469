// Observes node:test by the events of its own stream, whatever reporters are chosen: they go on as they were.
'use strict'

const { EventEmitter } = require('node:events')
const path = require('node:path')
const { Readable } = require('node:stream')
const { Log, words, plain } = require('./loopwright_log.cjs')

const STDERR_KEPT = 4000

// `parent` runs every file in a process of its own, the `child`; what a child tells is lost with it when it exits early,
// so both are heard. `alone` is a file that is run without `node --test`.
function watch(order) {
  const isChild = process.env.NODE_TEST_CONTEXT !== undefined
  const role = isChild ? 'child' : process.execArgv.includes('--test') ? 'parent' : 'alone'
  const observers = new WeakMap()
  const emit = EventEmitter.prototype.emit
  if (role === 'child') order.restore()
  if (role === 'parent') measure(order)
  Readable.prototype.emit = function (type, data) {
    if (this.constructor?.name === 'TestsStream') {
      if (!observers.has(this)) {
        if (role === 'alone') order.restore()
        observers.set(this, new Observer(order, role))
      }
      observers.get(this).take(type, data)
    }
    return emit.apply(this, arguments)
  }
}

// The children write down which code they ran, unless the project asks Node for that by itself.
function measure(order) {
  if (process.execArgv.some((option) => option.endsWith('test-coverage'))) return
  process.env.NODE_V8_COVERAGE ??= path.join(order.folder, 'v8')
}

class Observer {
  constructor(order, role) {
    this.log = new Log(order, 'node')
    this.chains = new Map() // file → names of the tests around the one that is reported
    this.begun = new Map() // the same in the order of execution
    this.stderr = new Map()
    this.failed = false
    this.log.write('begin', { role })
  }

  take(type, data) {
    if (type === 'test:dequeue') this.start(data)
    else if (type === 'test:complete') this.log.write('done', { token: token(data) })
    else if (type === 'test:start') chain(this.chains, data)
    else if (type === 'test:pass' || type === 'test:fail') this.result(type, data)
    else if (type === 'test:stderr') this.hear(data)
    else if (type === 'test:coverage') this.coverage(data.summary)
    else if (type === 'end') this.log.write('end', { status: this.failed ? 1 : 0 })
  }

  start(data) {
    this.log.write('start', { ...this.named(data, chain(this.begun, data)), token: token(data) })
  }

  result(type, data) {
    const names = chain(this.chains, data)
    const error = data.details?.error
    const skipped = data.skip !== undefined || data.todo !== undefined
    const failed = type === 'test:fail' && !skipped
    this.failed ||= failed
    // The tests of a suite speak for it, unless it failed by itself.
    if (data.details?.type === 'suite' && (!failed || error?.failureType === 'subtestsFailed')) return
    const status = skipped ? 'skipped' : failed ? 'failed' : 'passed'
    const told = failed ? this.failure(data, error?.cause ?? error) : { message: reason(data), trace: '' }
    const ms = data.details?.duration_ms ?? 0
    this.log.write('result', { ...this.named(data, names), token: token(data), status, ms, ...told })
  }

  // Of a file as a whole Node only says that it failed; why, it has printed.
  failure(data, cause) {
    const printed = isFile(data) ? this.stderr.get(data.file) : undefined
    return printed ? words(lastError(printed), printed) : words(cause?.message ?? cause, cause?.stack)
  }

  named(data, names) {
    const file = this.log.fileOf(data.file ?? process.argv[1] ?? 'test')
    return { file, path: isFile(data) ? [] : names }
  }

  hear(data) {
    const file = path.resolve(data.file) // relative since Node 24
    this.stderr.set(file, ((this.stderr.get(file) ?? '') + data.message).slice(-STDERR_KEPT))
  }

  // Only where the project itself asks Node for coverage.
  coverage(summary) {
    const lcov = summary.files.map((file) => {
      const lines = (file.lines ?? []).map(({ line, count }) => `DA:${line},${count}\n`).join('')
      return `SF:${file.path}\n${lines}end_of_record\n`
    })
    this.log.write('coverage', { format: 'lcov', text: lcov.join('') })
  }
}

// The names from the outermost test down to this one: those around it were told of just before.
function chain(chains, data) {
  const names = (chains.get(data.file) ?? []).slice(0, data.nesting)
  names[data.nesting] = data.name
  chains.set(data.file, names)
  return names
}

// Node reports a file as a test of its own where it holds none, or broke.
function isFile(data) {
  return data.nesting === 0 && data.line === 1 && data.column === 1 && path.resolve(data.name) === data.file
}

function reason(data) {
  return [data.skip, data.todo].find((why) => typeof why === 'string') ?? ''
}

function token(data) {
  return [data.file, data.line, data.column, data.nesting, data.name].join('\0')
}

function lastError(text) {
  const lines = plain(text).split('\n')
  return lines.find((line) => /^(\w*Error\b|\[?\w*Error \[)/.test(line)) ?? lines[lines.length - 1]
}

module.exports = { watch }
