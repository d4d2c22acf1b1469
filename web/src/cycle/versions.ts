// Versions of documents: 1.0.0 of the first iteration, 1.1.0 of the second, … Pure.

export function versionOf(iteration: number): string {
  return `1.${Math.max(iteration, 1) - 1}.0`
}

/** Which document in which version, compared with which other one: as it stands in the address. */
export interface DocumentChoice {
  name: string
  version: string | null
  against: string | null
}

/** `ra/requirements.md@1.1.0~1.0.0`. */
export function parseChoice(detail: string): DocumentChoice {
  const [, name = '', version = null, against = null] = /^([^@~]*)(?:@([^~]*))?(?:~(.*))?$/.exec(detail) ?? []
  return { name, version: version || null, against: against || null }
}

export function formatChoice({ name, version, against }: DocumentChoice): string {
  return `${name}${version ? `@${version}` : ''}${against ? `~${against}` : ''}`
}

/** The version before that one; null where it is the first. */
export function previousVersion(versions: readonly string[], version: string): string | null {
  return versions[versions.indexOf(version) - 1] ?? null
}

/** What is JSON is set out line by line, so that it can be read and compared. */
export function formatJson(name: string, text: string): string {
  if (!name.endsWith('.json')) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
