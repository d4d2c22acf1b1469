// Writes src/api/state.gen.ts from the schema that the program itself prints, so that a field is said once.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { compile } from 'json-schema-to-typescript'

const printed = execFileSync('../.venv/bin/loopwright', ['schema', 'loop'])
const schema = JSON.parse(printed.toString())

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

const banner = `// Made by \`npm run types\` from \`loopwright schema loop\`.
// schema sha256: ${createHash('sha256').update(printed).digest('hex')}`
const text = await compile(closed(schema), 'Loop', {
  bannerComment: banner,
  ignoreMinAndMaxItems: true,
  style: { semi: false, singleQuote: true, printWidth: 120 },
})
writeFileSync('src/api/state.gen.ts', text)
