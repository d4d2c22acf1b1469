// What a tuning session's page reads beside the session itself.
import { get } from '../api/client'
import type { SkillGraph, Text, Tuning } from '../api/tunings'
import type { RunView } from '../api/types'
import type { RunAddress } from '../app/address'
import type { SectionProps } from '../run/RunKind'
import { createResource, type Resource } from '../run/resource'
import { createPart, type RunResources } from '../run/resources'

export interface SkillFile {
  file: string
  kind: string | null
  size: number
  tokens: number | null
}

/** The texts of the skill, each read when it is looked at. */
interface SourceTexts {
  of: (file: string) => Resource<Text>
  touch: () => void
}

export interface TuningParts {
  report: Resource<Text>
  graph: Resource<SkillGraph>
  skill: Resource<SkillFile[]>
  sources: SourceTexts
}

export type TuningResources = RunResources<Tuning, TuningParts>
export type TuningView = RunView<Tuning>
export type Section = SectionProps<Tuning, TuningParts>

export function partsOf(address: RunAddress): TuningParts {
  return {
    report: createPart(address, '/report'),
    graph: createPart(address, '/graph'),
    skill: createPart(address, '/skill'),
    sources: sourceTexts(address),
  }
}

function sourceTexts(address: RunAddress): SourceTexts {
  const known = new Map<string, Resource<Text>>()
  return {
    of: (file) => {
      const text = known.get(file) ?? createResource(() => get<Text>(address.path('/source', { file })))
      known.set(file, text)
      return text
    },
    touch: () => {
      for (const text of known.values()) text.touch()
    },
  }
}
