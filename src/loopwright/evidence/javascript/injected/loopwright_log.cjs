// What our eyes in every JavaScript test runner share: a log of one JSON line for everything that happens, so that what
// was measured survives any death. Node 18 and later, no packages.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

// The system's own functions, because tests replace them, and no open file, because tests close all.
const { openSync, writeSync, closeSync } = fs
const TRACE_KEPT = 8000
const { stringify } = JSON
const ANSI = /\u001b\[[0-9;?]*[A-Za-z]/g

class Log {
  constructor(order, framework) {
    this.order = order
    const began = String(Date.now()).padStart(15, '0')
    this.path = path.join(order.folder, `${began}-${process.pid}.${framework}.ndjson`)
  }

  write(kind, fields) {
    const file = openSync(this.path, 'a', 0o600)
    try {
      writeSync(file, stringify({ kind, ...fields }) + '\n')
    } finally {
      closeSync(file)
    }
  }

  // A file as the project calls it.
  fileOf(absolute) {
    return path.relative(this.order.root, real(String(absolute))).split(path.sep).join('/')
  }
}

function real(file) {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return file
  }
}

// One line or a few about what went wrong, and the whole story.
function words(message, stack) {
  const told = plain(message)
  const trace = plain(stack)
  const whole = trace.includes(told) ? trace : `${told}\n${trace}`
  return { message: told.slice(0, TRACE_KEPT), trace: whole.slice(0, TRACE_KEPT) }
}

function plain(text) {
  return String(text ?? '').replace(ANSI, '').trim()
}

module.exports = { Log, words, plain }
