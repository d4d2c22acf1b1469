// Loaded into every Node process of a test run (NODE_OPTIONS). Finds out whether this process is a test runner, and
// becomes its observer; the runner's own environment is put back, so that what it starts knows nothing of us.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { isMainThread } = require('node:worker_threads')

const ORDER = 'LOOPWRIGHT_NODE'
const text = process.env[ORDER]

if (text !== undefined && isMainThread) observe(JSON.parse(text))

function observe(order) {
  // As on a build server: no watching, and a snapshot that is not there is not simply written.
  process.env.CI ??= 'true'
  order.restore = () => restore(order)
  const program = programName()
  if (program.endsWith('/vitest/vitest.mjs')) return require('./loopwright_vitest.cjs').prepare(order)
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

function restore(order) {
  delete process.env[ORDER]
  if (order.options === null) delete process.env.NODE_OPTIONS
  else process.env.NODE_OPTIONS = order.options
}
