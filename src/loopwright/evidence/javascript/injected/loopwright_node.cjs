// Loaded into every Node process of a test run (NODE_OPTIONS). A process that is a test runner gets its observer, and
// the environment back that it would have without us; any other, such as npm, hands us on to what it starts.
'use strict'

const { ChildProcess } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { isMainThread } = require('node:worker_threads')

const ORDER = 'LOOPWRIGHT_NODE'
const PRELOAD = 'LOOPWRIGHT_PRELOAD' // the option that loads this file
const text = process.env[ORDER]

if (text !== undefined && isMainThread) observe(JSON.parse(text), process.env[PRELOAD])

function observe(order, preload) {
  // As on a build server: no watching, and a snapshot that is not there is not simply written.
  process.env.CI ??= 'true'
  const release = handOn(preload)
  order.restore = () => {
    release()
    delete process.env[ORDER]
    delete process.env[PRELOAD]
    delete process.env.LOOPWRIGHT_SHIMS // go, cargo and mvn are theirs again
    const left = (process.env.NODE_OPTIONS ?? '').replace(preload, '').trim()
    if (left === '') delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = left
  }
  if (programName().endsWith('/vitest/vitest.mjs')) return require('./loopwright_vitest.cjs').prepare(order)
  require('./loopwright_node_test.cjs').watch(order)
  require('./loopwright_jest.cjs').watch(order)
}

function programName() {
  try {
    return fs.realpathSync(process.argv[1] ?? '').split(path.sep).join('/')
  } catch {
    return ''
  }
}

// A script such as `NODE_OPTIONS=--experimental-vm-modules jest` would shake us off.
function handOn(preload) {
  const spawn = ChildProcess.prototype.spawn
  ChildProcess.prototype.spawn = function (options) {
    const kept = (pair) => (pair.includes(preload) ? pair : pair.replace(/^NODE_OPTIONS=/, () => `NODE_OPTIONS=${preload} `))
    const envPairs = options.envPairs?.map(kept)
    const args = options.args?.map((word, at) => (options.args[at - 1] === '-c' ? joined(word) : word))
    return spawn.call(this, { ...options, ...(envPairs && { envPairs }), ...(args && { args }) })
  }
  return () => {
    ChildProcess.prototype.spawn = spawn
  }
}

function joined(script) {
  return script.replace(/(^|[\s;&|(])NODE_OPTIONS=/g, `$1NODE_OPTIONS="$$${PRELOAD} "`)
}
