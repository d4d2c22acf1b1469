// Joins Vitest by its command line; the reporter itself is loopwright_vitest.mjs.
'use strict'

const path = require('node:path')

const SHARED = Symbol.for('loopwright.vitest')

function prepare(order) {
  order.restore()
  const given = process.argv.slice(2)
  const own = given.some((word) => /^--reporters?(=|$)/.test(word))
  globalThis[SHARED] = { order, keepsConfigured: !own }
  const end = given.indexOf('--')
  process.argv.splice(end < 0 ? process.argv.length : end + 2, 0, `--reporter=${path.join(__dirname, 'loopwright_vitest.mjs')}`)
}

module.exports = { prepare }
