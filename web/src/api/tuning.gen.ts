// Made by `npm run types` from `loopwright schema tuning`.
// schema sha256: 1eb163531cd3e96d1c4febe977b2dd7e02c2ecc53c49eb36518650666ff78fab

/**
 * One tuning session: the seed's fields, and what only this engine knows in `engine`.
 */
export interface Tuning {
  status: 'pending' | 'running' | 'completed' | 'failed'
  started_at?: string | null
  updated_at?: string | null
  target_skill: TargetSkill
  user_issue_description: string
  focus_areas: string[]
  diagnosis: DiagnosisResults
  issues: Issue[]
  issues_by_severity: IssuesBySeverity
  proposed_fixes: Fix[]
  applied_fixes: AppliedFix[]
  pending_fixes: string[]
  iteration_count: number
  max_iterations: number
  quality_score: number
  quality_gate: 'pass' | 'review' | 'fail'
  completed_actions: string[]
  current_action?: string | null
  /**
   * @maxItems 500
   */
  action_history: ActionHistoryEntry[]
  /**
   * @maxItems 100
   */
  errors: TuningErrorEntry[]
  error_count: number
  max_errors: number
  work_dir?: string | null
  backup_dir?: string | null
  engine: TuningEngine
}
/**
 * The skill as it was found; null before it was read. `path` as given, relative to the project.
 */
export interface TargetSkill {
  name?: string | null
  path?: string | null
  execution_mode?: ('sequential' | 'autonomous') | null
  phases: string[]
  specs: string[]
}
export interface DiagnosisResults {
  context?: DiagnosisResult | null
  memory?: DiagnosisResult | null
  dataflow?: DiagnosisResult | null
  agent?: DiagnosisResult | null
}
/**
 * One dimension of one iteration. `severity`: the worst one found.
 */
export interface DiagnosisResult {
  status: 'completed' | 'skipped' | 'failed'
  issues_found: number
  severity: 'critical' | 'high' | 'medium' | 'low' | 'none'
  execution_time_ms: number
  details: DiagnosisDetails
}
/**
 * `patterns_checked`: the rules that were looked for; `patterns_matched`: those that found something.
 */
export interface DiagnosisDetails {
  patterns_checked: string[]
  patterns_matched: string[]
  evidence: Evidence[]
  recommendations: string[]
}
export interface Evidence {
  file: string
  line?: number | null
  pattern: string
  context: string
  severity: string
}
/**
 * `priority` 1 is the highest; no two issues have the same.
 */
export interface Issue {
  id: string
  type: 'context_explosion' | 'memory_loss' | 'dataflow_break' | 'agent_failure'
  severity: 'critical' | 'high' | 'medium' | 'low'
  priority: number
  location: Location
  description: string
  evidence: string[]
  root_cause: string
  impact: string
  suggested_fix: string
  related_issues: string[]
}
export interface Location {
  file: string
  line_start?: number | null
  line_end?: number | null
  phase?: string | null
}
export interface IssuesBySeverity {
  critical: number
  high: number
  medium: number
  low: number
}
export interface Fix {
  id: string
  issue_ids: string[]
  strategy:
    | 'context_summarization'
    | 'sliding_window'
    | 'structured_state'
    | 'constraint_injection'
    | 'checkpoint_restore'
    | 'schema_enforcement'
    | 'orchestrator_refactor'
    | 'state_centralization'
    | 'custom'
  description: string
  rationale: string
  changes: FileChange[]
  risk: 'low' | 'medium' | 'high'
  estimated_impact: string
  verification_steps: string[]
}
/**
 * The change of one file; texts are UTF-8, `diff` is unified and applies with git. Others may omit them.
 */
export interface FileChange {
  file: string
  action: 'create' | 'modify' | 'delete'
  old_content?: string | null
  new_content?: string | null
  diff?: string | null
}
/**
 * `backup_path` holds the original files. A fix that failed its verification was rolled back at once.
 */
export interface AppliedFix {
  fix_id: string
  applied_at: string
  success: boolean
  backup_path: string
  verification_result: 'pass' | 'fail' | 'pending'
  rollback_available: boolean
}
export interface ActionHistoryEntry {
  action: string
  started_at: string
  completed_at: string
  result: 'success' | 'failure' | 'skipped'
  output_files: string[]
}
/**
 * `recoverable`: retrying may help.
 */
export interface TuningErrorEntry {
  action: string
  message: string
  timestamp: string
  recoverable: boolean
}
/**
 * `id` is the session's; `path` the skill's folder as it was given, `root` the same, absolute; in the
 * fleet, where the project lies elsewhere, below the project.
 *
 * What was asked for: `dimensions`, what may be mended (`level`, by `agent` where that is one), who is asked about the
 * meaning (`reviewer`), and who tries to refute that (`refuter`, else another session of the same), whether a person
 * chooses among the fixes (`choosing`), and fingerprints of what is known already (`accepted`).
 * What is known: `size`, tokens of the skill at its first diagnosis, by which all its scores are reckoned; `digests`
 * of its files as they were diagnosed or mended; `findings`, and those that are accepted (`silenced`); by fingerprint
 * the id of its issue (`issue_of`) and who could mend it (`fixable`).
 * `reviewed`: dimensions whose questions of meaning were answered; they are asked before the first report only.
 * What this iteration has done: `diagnosed`, `reported`, `proposed`, and by fix the `edits` that are in the files
 * since its diagnosis. `standings`: the score by iteration. `proposals`: by id of a fix what it is made of.
 * `rejected`: fingerprints that shall not be tried again, with why; `tried`: what came of each try of an agent that
 * failed; `dropped`: by id of a fix why it was not applied, or not kept. `undo`: fixes whose files shall be put back.
 */
export interface TuningEngine {
  schema: number
  rev: number
  digest: string
  journal_bytes: number
  epoch: number
  outcome?:
    ('succeeded' | 'unproven' | 'unverified' | 'exhausted' | 'stalled' | 'over_budget' | 'stopped' | 'failed') | null
  waiting?: Waiting | null
  answer?: string | null
  interrupt: boolean
  parked?: Parked | null
  relieved?: RelievedAgent | null
  asked: PermissionRequest[]
  messages: PersonMessage[]
  sessions?: {
    [k: string]: string
  }
  settings: RunSettings
  budget: Budget
  usage: ModelUsage[]
  tests_found?: boolean | null
  last_validation?: LastValidation | null
  run_writes: string[]
  baseline?: Baseline | null
  allow_test_changes: boolean
  branch?: RunBranch | null
  start?: string | null
  environment?: string | null
  sources: string[]
  named?: NamedTest[] | null
  proposed_proof?: ('auto' | 'mend' | 'preserve' | 'none') | null
  proof?: Proof | null
  /**
   * @maxItems 200
   */
  checkpoints: Checkpoint[]
  /**
   * @maxItems 50
   */
  incidents: Incident[]
  id: string
  path: string
  root: string
  created_at?: string | null
  reason?: string | null
  dimensions: ('context' | 'memory' | 'dataflow' | 'agent')[]
  level: 'none' | 'mechanical' | 'template' | 'agent'
  agent?: string | null
  reviewer?: string | null
  refuter?: string | null
  choosing: boolean
  accepted: string[]
  under_way: TuningStepUnderWay[]
  size: number
  digests?: {
    [k: string]: string
  }
  findings: Finding[]
  silenced: Silenced[]
  issue_of?: {
    [k: string]: string
  }
  fixable?: {
    [k: string]: 'mechanical' | 'template' | 'agent'
  }
  reviewed: ('context' | 'memory' | 'dataflow' | 'agent')[]
  diagnosed: ('context' | 'memory' | 'dataflow' | 'agent')[]
  reported: boolean
  proposed: boolean
  edits?: {
    [k: string]: Edit[]
  }
  standings: Standing[]
  proposals?: {
    [k: string]: Proposal
  }
  rejected?: {
    [k: string]: string
  }
  tried?: {
    [k: string]: string[]
  }
  dropped?: {
    [k: string]: string
  }
  undo: string[]
}
/**
 * A question that only a person can answer; `by_resuming`: a problem to fix before the loop is resumed.
 */
export interface Waiting {
  question: string
  options: string[]
  since: string
  by_resuming?: boolean | null
}
/**
 * Waiting for the agent's limit to reset.
 */
export interface Parked {
  until: string
  reason: string
}
/**
 * One whose limit others have taken over at, as it is chosen, until one of them has done something.
 *
 * `reason` and `until`: of the limit, as the agent told it.
 */
export interface RelievedAgent {
  agent: string
  reason: string
  until?: string | null
}
/**
 * Something an agent wants to do that its policy leaves to a person.
 *
 * `kind` as ACP names it (edit, execute, fetch, …), `paths` as the agent gave them, `command` if it is one.
 * `reason`: why it asks.
 */
export interface PermissionRequest {
  id: string
  agent: string
  action: string
  title: string
  kind: string
  paths: string[]
  command?: string | null
  reason: string
  since: string
  answer?: ('allow' | 'deny') | null
}
/**
 * What a person tells the agent. `now`: the turn under way is cut off where it cannot be told within it.
 *
 * `role`: the only one that gets it, in a cycle. `why` it is undelivered, in words. `answer`: what the turn that had
 * it came to. `task`: what it became, where no turn was left to hear it.
 */
export interface PersonMessage {
  id: string
  text: string
  at: string
  now: boolean
  role?: ('ra' | 'ep' | 'cd' | 'vas') | null
  status: 'queued' | 'sending' | 'delivered' | 'answered' | 'undelivered'
  way?: ('order' | 'steered' | 'interrupted' | 'task') | null
  agent: string
  delivered_at?: string | null
  answer: string
  why: string
  task?: string | null
}
/**
 * What the loop was started with, so that a resumed one continues the same way. Times in seconds.
 *
 * `model` and `effort` are those of `agent`; None: its own. `fallback`: agents that take over from it, in order.
 * `review`: the agent that reviews a loop's work before its end.
 *
 * `per_test_timeout`: for a single test (0: none; None: relative to the others). `test_parallel`: processes that run
 * the tests; None: as the command says. `grace_timeout`: how long an agent whose time is up has to wrap up. `park`:
 * wait for a usage limit to reset. `worktree`: it works in a git worktree of its own; `commit`: what each task changed
 * is committed there. `sandbox`: what agents and tests are put into, and `sandbox_paths` what they see there besides;
 * `sandbox_hosts`: hosts with ports that tests reach in it.
 * `baseline`: the revision whose tests count where the work tree has others; `worktree`: the work tree's count.
 */
export interface RunSettings {
  mode: 'interactive' | 'auto'
  agent: string
  model?: string | null
  effort?: string | null
  fallback: string[]
  review?: string | null
  test_command?: string | null
  test_timeout: number
  per_test_timeout?: number | null
  test_parallel?: number | null
  action_timeout: number
  silence_timeout: number
  require: 'all' | 'no_new_failures'
  min_pass_rate: number
  min_coverage: number
  min_mutation_score: number
  min_diff_coverage: number
  proof: 'auto' | 'mend' | 'preserve' | 'none'
  allow_environment_changes: boolean
  baseline: string
  permissions: 'ask' | 'workspace' | 'read-only' | 'all'
  grace_timeout: number
  park: boolean
  worktree: boolean
  commit: boolean
  sandbox: 'none' | 'bwrap' | 'landlock' | 'auto' | 'required'
  sandbox_paths: string[]
  sandbox_hosts: string[]
}
/**
 * Limits (None: no limit) and usage. Cost in US dollars.
 *
 * `held`: the limit, in words, that a turn was cut off at because too little is left of it for another request.
 */
export interface Budget {
  max_minutes?: number | null
  max_tokens?: number | null
  max_cost?: number | null
  spent_seconds: number
  tokens?: number | null
  cost?: number | null
  held?: string | null
}
/**
 * What an agent's `turns` with one model came to; None: not known. `cost` in US dollars.
 */
export interface ModelUsage {
  agent: string
  model: string
  turns: number
  tokens?: number | null
  cost?: number | null
}
/**
 * `tree` is the hash taken before the tests ran, `left` the one after; `tests` counts all, `skipped` those
 * among them that did not run.
 *
 * `reasons` say why it did not pass; `touched` are project files that changed meanwhile. `measured`: when the
 * tests ran, if they were not run for it (`at INIT`).
 */
export interface LastValidation {
  tree: string
  left: string
  passed: boolean
  at: string
  tests: number
  skipped?: number | null
  reasons: string[]
  touched?: string[] | null
  measured?: string | null
}
/**
 * The first test run, which every later one is compared with.
 *
 * `commit` holds the files it ran on; `touched` are those that the run itself changed. `endless`: tests that
 * did not end on their own, with the seconds they get from then on. `committed`: tests that count as they were
 * committed. `material`: files that were measured to be the tests', whatever they are called. `from_files`: reports
 * told the results, and no test framework itself; None where that was not asked yet.
 */
export interface Baseline {
  tree: string
  at: string
  tests?: {
    [k: string]: BaselineTest
  }
  commit?: string | null
  touched?: string[] | null
  endless?: {
    [k: string]: number
  } | null
  committed?: CommittedTests | null
  material: string[]
  from_files?: boolean | null
}
/**
 * `source`: digest of the test's own function and fixtures; empty if unknown.
 */
export interface BaselineTest {
  status: 'passed' | 'failed' | 'skipped'
  source: string
}
/**
 * Tests that were another in the user's commit than in the work tree that the run found: gone, skipped, changed.
 *
 * `commit`: its files, as a snapshot. `tests`: keys in the baseline that it speaks for.
 */
export interface CommittedTests {
  commit: string
  tests: string[]
}
/**
 * The git worktree of a run, and what has become of its work. `path` is absolute.
 *
 * `base`: commit of the user's that the branch began at, on `base_branch` unless HEAD was detached. Nobody works there
 * before it `is_ready`. `tip`: its commit when last looked at; `named`: another branch that holds the result. Private
 * commits: `start`, what the worktree held at first; `brought`, what a run in the user's own tree had come to when it
 * was last put on this branch; `applied`, what was last applied to the user's tree.
 */
export interface RunBranch {
  path: string
  name: string
  base: string
  base_branch?: string | null
  is_ready: boolean
  start?: string | null
  pending: PendingCommit[]
  brought?: string | null
  tip?: string | null
  named?: string | null
  applying?: PendingApply | null
  applied?: string | null
  applied_files?: number | null
  pull_request?: string | null
}
/**
 * A task that is done, whose changes are to be committed under these words.
 *
 * `files`: those that it changed, where others change some at the same time; none: all that has changed.
 */
export interface PendingCommit {
  words: string
  task?: string | null
  files: string[]
}
/**
 * Files of the user's tree that are being replaced: what they hold `before` and `after`, as private commits.
 */
export interface PendingApply {
  before: string
  after: string
  files: string[]
}
/**
 * A test that failed at the start and proves the goal; `by`: who says so.
 */
export interface NamedTest {
  test: string
  by: string
}
/**
 * What proves that the goal was reached, for the tree that a validation ran on.
 *
 * `fail_to_pass`: tests that fail on the original product and pass now. `pass_to_pass_count`: tests that pass on
 * both. `named_by`: who named a test that failed at the start as proof. `diff_coverage`: percent of the
 * changed lines that these tests run. `mutants` of the changed lines, tried under these tests, or `unmeasured`: why
 * there are none. `missing`: what is missing, as a clause; None if nothing is. `weak`: the goal is proved, but a
 * threshold is missed. `notes`: tests that were considered and prove nothing, with the reason.
 */
export interface Proof {
  kind: 'mend' | 'change' | 'commands' | 'reading' | 'preserve' | 'none'
  tree: string
  /**
   * @maxItems 200
   */
  fail_to_pass: string[]
  pass_to_pass_count: number
  named_by?: string | null
  diff_coverage?: number | null
  mutants?: Mutants | null
  unmeasured?: string | null
  missing?: string | null
  weak?: boolean | null
  notes: string[]
}
/**
 * How many of the `total` tried made a test fail or never end. `survivors`: the first of the others.
 *
 * `made`: how many there are, where not all of them were tried: those that were are spread evenly over the lines and
 * the kinds of changes.
 */
export interface Mutants {
  killed: number
  total: number
  /**
   * @maxItems 50
   */
  survivors: Survivor[]
  made?: number | null
}
/**
 * A mutant that no test detects: what was changed where.
 */
export interface Survivor {
  file: string
  line: number
  change: string
}
/**
 * A snapshot of the work tree; `n` counts up within the loop, `commit` is in the private repository.
 *
 * `rev` is the state commit that belongs to it.
 */
export interface Checkpoint {
  n: number
  rev: number
  commit: string
  tree: string
  action: string
  at: string
}
/**
 * Something that was reverted or repaired, and why.
 */
export interface Incident {
  kind: string
  message: string
  at: string
}
/**
 * A step in progress; `fix`: the fix it is about.
 */
export interface TuningStepUnderWay {
  step: string
  at: string
  fix?: string | null
}
/**
 * One thing that is wrong with a skill.
 *
 * `file` is relative to the skill's folder, lines count from 1, `start` and `end` are its characters in the file's
 * text (newlines as they are). `excerpt` is the line it is in. `subject` is what it is about in canonical words
 * (a path, a field, a tool): with the rule and the file it makes the fingerprint, which moved lines do not change.
 * `message` says what is wrong, `why` how that affects a model, `advice` what to do. `facts` are what a fix
 * needs to know.
 */
export interface Finding {
  rule: string
  dimension: 'context' | 'memory' | 'dataflow' | 'agent'
  severity: 'critical' | 'high' | 'medium' | 'low'
  confidence: 'certain' | 'confirmed' | 'likely' | 'hint' | 'refuted'
  file: string
  line: number
  line_end: number
  start: number
  end: number
  excerpt: string
  subject: string
  message: string
  why: string
  advice: string
  strategy:
    | 'context_summarization'
    | 'sliding_window'
    | 'structured_state'
    | 'constraint_injection'
    | 'checkpoint_restore'
    | 'schema_enforcement'
    | 'orchestrator_refactor'
    | 'state_centralization'
    | 'custom'
  phase?: string | null
  also: string[]
  facts?: {
    [k: string]: string
  }
  column: number
  column_end: number
  /**
   * @minItems 2
   * @maxItems 2
   */
  marked: unknown[]
  review?: Review | null
}
/**
 * How an agent's finding is known. `by`: who reported it; `refuter`: the agent that tried to refute it.
 *
 * `evidence`, and if two places disagree the `other_side`; `absent`: words searched for and not found.
 * `against`: what the refuter quoted, `why` in its words.
 */
export interface Review {
  by: string
  refuter: string
  evidence: Quote[]
  other_side: Quote[]
  absent: string[]
  against: Quote[]
  why: string
}
/**
 * A quote from a file, and the line where it begins.
 */
export interface Quote {
  file: string
  text: string
  line: number
}
/**
 * An accepted finding: by a comment, which gives the reason, or by the baseline, which gives none.
 */
export interface Silenced {
  finding: Finding
  reason?: string | null
}
/**
 * Exact bytes of one file, from `start` to `end`, that contain `old` and become `new`. Texts are UTF-8.
 */
export interface Edit {
  file: string
  start: number
  end: number
  old: string
  new: string
}
/**
 * The skill as an iteration reported it. `tree`: digest of all its files; `in_vain`: tries that had failed.
 */
export interface Standing {
  iteration: number
  score: number
  gate: 'pass' | 'review' | 'fail'
  tree: string
  in_vain: number
}
/**
 * A fix of findings: edits of files, and files created or deleted (by name, with their text).
 */
export interface Proposal {
  /**
   * @minItems 1
   */
  fingerprints: string[]
  rule: string
  strategy:
    | 'context_summarization'
    | 'sliding_window'
    | 'structured_state'
    | 'constraint_injection'
    | 'checkpoint_restore'
    | 'schema_enforcement'
    | 'orchestrator_refactor'
    | 'state_centralization'
    | 'custom'
  level: 'mechanical' | 'template' | 'agent'
  description: string
  rationale: string
  edits: Edit[]
  creates?: {
    [k: string]: string
  }
  deletes: string[]
  risk: 'low' | 'medium' | 'high'
  estimated_impact: string
  verification_steps: string[]
}
