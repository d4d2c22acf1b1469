// What the endpoints of tuning sessions take, and answer with (docs/http-api.md, "Tuning sessions").
import type { Tuning } from './tuning.gen'
import type { Outcome } from './types'

export type { AppliedFix, Finding, Fix, Issue, Tuning } from './tuning.gen'

export const DIMENSIONS = ['context', 'memory', 'dataflow', 'agent'] as const
export type Dimension = (typeof DIMENSIONS)[number]
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const
export type Severity = (typeof SEVERITIES)[number]
type TuningStatus = Tuning['status']
type Level = Tuning['engine']['level']
export type Gate = Tuning['quality_gate']
type TuningNeeds = 'permission' | 'choice'

export interface NewTuning {
  path: string
  description?: string
  dimensions?: Dimension[]
  fix: 'none' | 'mechanical' | 'all'
  agent?: string
  choose: boolean
  max_iterations?: number
}

/** A session in a list and in the stream of all changes. */
export interface BriefTuning {
  tuning_id: string
  project: string
  title: string
  path: string
  status: TuningStatus
  outcome: Outcome | null
  dimensions: Dimension[]
  level: Level
  agent: string | null
  score: number | null
  gate: Gate | null
  issues: Record<Severity, number>
  fixes: { proposed: number; pending: number; applied: number; rolled_back: number }
  current_iteration: number
  max_iterations: number
  needs: TuningNeeds | null
  failure_reason: string | null
  rev: number
  created_at: string | null
  updated_at: string | null
}

/** A text of the skill's, or of the session's; `truncated`: it goes on. */
export interface Text {
  text: string
  truncated: boolean
}

export type NodeKind = 'file' | 'phase' | 'agent' | 'tool' | 'artefact'
export type EdgeKind = 'loads' | 'next' | 'spawns' | 'reads' | 'writes' | 'uses'

export interface SkillNode {
  id: string
  kind: NodeKind
  name: string
  file: string
  line: number
  tokens: number | null
}

export interface SkillEdge {
  source: string
  target: string
  kind: EdgeKind
}

/** What a model reads in one step, and has read at its end. */
export interface Stage {
  name: string
  file: string
  own: number
  loads: number
  total: number
  share: number
  files: string[]
}

export interface SkillGraph {
  nodes: SkillNode[]
  edges: SkillEdge[]
  course: Stage[]
  worst: number
  truncated: boolean
}
