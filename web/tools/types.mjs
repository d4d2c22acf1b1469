// Writes src/api/*.gen.ts from the schemas that the program itself prints, so that a field is said once.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { compile } from 'json-schema-to-typescript'

const KINDS = { loop: 'state.gen.ts', cycle: 'cycle.gen.ts', tuning: 'tuning.gen.ts' }

for (const [kind, file] of Object.entries(KINDS)) writeFileSync(`src/api/${file}`, await typesOf(kind))

async function typesOf(kind) {
  const printed = execFileSync('../.venv/bin/loopwright', ['schema', kind])
  const banner = `// Made by \`npm run types\` from \`loopwright schema ${kind}\`.
// schema sha256: ${createHash('sha256').update(printed).digest('hex')}`
  return compile(closed(JSON.parse(printed.toString())), kind[0].toUpperCase() + kind.slice(1), {
    bannerComment: banner,
    ignoreMinAndMaxItems: true,
    style: { semi: false, singleQuote: true, printWidth: 120 },
  })
}

// Unknown fields are kept by the program, but no page may lean on them.
function closed(part) {
  if (Array.isArray(part)) return part.map(closed)
  if (part === null || typeof part !== 'object') return part
  const entries = Object.entries(part).filter(([name, value]) => !(name === 'title' && typeof value === 'string'))
  const inner = Object.fromEntries(entries.map(([name, value]) => [name, closed(value)]))
  return part.type === 'object' && part.properties ? counted(part, inner) : inner
}

// What has a default is always written, except a null, which may be left out.
function counted(part, inner) {
  const given = Object.keys(part.properties).filter((name) => (part.properties[name].default ?? null) !== null)
  return { ...inner, required: [...new Set([...(part.required ?? []), ...given])], additionalProperties: false }
}
