// Writes built.json: from which bytes these assets were built. A check without Node compares it with the files.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BUILT = '../src/loopwright/surfaces/server/web'
const SOURCES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'index.html',
  'tsconfig.json',
  'vite.config.ts',
  'tools',
  'src',
]

/** Every file below these names; tests of the page are no part of it. */
function files(folder, names) {
  const below = (name) => (statSync(join(folder, name)).isDirectory() ? readdirSync(join(folder, name)) : null)
  return names.flatMap((name) => {
    const inner = below(name)
    return inner
      ? files(
          folder,
          inner.map((one) => `${name}/${one}`),
        )
      : name.endsWith('.test.ts')
        ? []
        : [name]
  })
}

function digests(folder, names) {
  const lines = files(folder, names).map((name) => [name, digest(join(folder, name))])
  return Object.fromEntries(lines.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function digest(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

const manifest = { sources: digests('.', SOURCES), built: digests(BUILT, readdirSync(BUILT)) }
writeFileSync('built.json', `${JSON.stringify(manifest, null, 1)}\n`)
