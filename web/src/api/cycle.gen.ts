// Made by `npm run types` from `loopwright schema cycle`.
// schema sha256: 201b4d1188222aec7554c27faac81764cde8efaed01bae70b8c406e48529450b

/**
 * One cycle: the seed's fields, and what only this engine knows in `engine`.
 */
export interface Cycle {
  cycle_id: string
  title: string
  description: string
  task_history: string[]
  status: 'created' | 'running' | 'paused' | 'completed' | 'failed'
  created_at: string
  updated_at: string
  completed_at?: string | null
  max_iterations: number
  current_iteration: number
  failure_reason?: string | null
  agents: Agents
  current_phase: 'init' | 'ra' | 'ep' | 'cd' | 'vas' | 'aggregation' | 'complete'
  completed_phases: string[]
  /**
   * @maxItems 100
   */
  phase_errors: PhaseError[]
  requirements?: Requirements | null
  exploration?: Exploration | null
  plan?: Plan | null
  changes?: Changes | null
  test_results?: TestResults | null
  iterations: IterationRecord[]
  coordination: Coordination
  engine: CycleEngine
}
export interface Agents {
  ra: AgentState
  ep: AgentState1
  cd: AgentState2
  vas: AgentState3
}
/**
 * One role in the current iteration. `waiting`: started, and blocked by others or by a person.
 */
export interface AgentState {
  status: 'idle' | 'running' | 'waiting' | 'completed' | 'failed'
  started_at?: string | null
  completed_at?: string | null
  output_files: string[]
  last_message?: string | null
  error?: string | null
  iterations_completed: number
}
/**
 * One role in the current iteration. `waiting`: started, and blocked by others or by a person.
 */
export interface AgentState1 {
  status: 'idle' | 'running' | 'waiting' | 'completed' | 'failed'
  started_at?: string | null
  completed_at?: string | null
  output_files: string[]
  last_message?: string | null
  error?: string | null
  iterations_completed: number
}
/**
 * One role in the current iteration. `waiting`: started, and blocked by others or by a person.
 */
export interface AgentState2 {
  status: 'idle' | 'running' | 'waiting' | 'completed' | 'failed'
  started_at?: string | null
  completed_at?: string | null
  output_files: string[]
  last_message?: string | null
  error?: string | null
  iterations_completed: number
}
/**
 * One role in the current iteration. `waiting`: started, and blocked by others or by a person.
 */
export interface AgentState3 {
  status: 'idle' | 'running' | 'waiting' | 'completed' | 'failed'
  started_at?: string | null
  completed_at?: string | null
  output_files: string[]
  last_message?: string | null
  error?: string | null
  iterations_completed: number
}
export interface PhaseError {
  phase: string
  error: string
  timestamp: string
}
/**
 * `specification` is the whole of requirements.md.
 */
export interface Requirements {
  version: string
  specification: string
  edge_cases: string[]
  last_updated: string
}
export interface Exploration {
  version: string
  architecture_summary: string
  integration_points: string[]
  identified_risks: string[]
  last_updated: string
}
/**
 * `total_estimated_effort` and `critical_path` are computed (see cycle_plan).
 */
export interface Plan {
  version: string
  tasks: PlanTask[]
  total_estimated_effort: string
  critical_path: string[]
  last_updated: string
}
/**
 * One task of the plan. `files`: what it will change, relative to the project; none if unknown.
 */
export interface PlanTask {
  id: string
  description: string
  effort: 'small' | 'medium' | 'large'
  depends_on: string[]
  status: 'pending' | 'in_progress' | 'completed' | 'blocked'
  assigned_to?: string | null
  files: string[]
}
/**
 * `total_files` counts every file ever changed; `iteration_markers`: when each iteration changed one.
 */
export interface Changes {
  total_files: number
  /**
   * @maxItems 500
   */
  changes: ChangeLog[]
  iteration_markers?: {
    [k: string]: string
  }
}
/**
 * One changed file, as measured.
 */
export interface ChangeLog {
  timestamp: string
  file: string
  action: 'create' | 'modify' | 'delete'
  iteration: number
  agent: string
  description: string
}
/**
 * The last validation, in counts and percent.
 */
export interface TestResults {
  version: string
  pass_rate: number
  coverage: number
  failed_tests: string[]
  total_tests: number
  last_run: string
}
export interface IterationRecord {
  number: number
  extension?: string | null
  started_at: string
  completed_at?: string | null
  agent_results?: {
    [k: string]: AgentResult
  }
  issues_found: string[]
  resolved: boolean
}
/**
 * What one role did in an iteration: completed, partial, failed, pending, or unchanged if it had nothing to do.
 */
export interface AgentResult {
  status: string
  files_modified: number
}
/**
 * What the roles, the engine and the user say to each other.
 */
export interface Coordination {
  /**
   * @maxItems 200
   */
  feedback_log: FeedbackEntry[]
  pending_decisions: Decision[]
  blockers: Blocker[]
}
/**
 * `source` is a role, `user` or `engine`; `target` a role.
 */
export interface FeedbackEntry {
  timestamp: string
  source: string
  target: string
  content: string
  type: 'requirement_update' | 'bug_report' | 'issue_fix' | 'clarification'
}
export interface Decision {
  id: string
  description: string
  options: string[]
  made_by?: string | null
  chosen_option?: string | null
  status: 'pending' | 'made' | 'implemented'
}
export interface Blocker {
  id: string
  description: string
  reported_by: string
  status: 'open' | 'resolved' | 'workaround'
  resolution?: string | null
}
/**
 * `roles`: which agent plays which role. `called`: roles that have something to do in this iteration.
 *
 * Of this iteration: `over`, the roles that have done all of it, in that order; `done`, keys of the steps that ended
 * well; `tries`, by key how often one failed, or was validated anew; `wrote`, by role the files it wrote;
 * `objections`, what vas says against the result. `analysed`, `explored`, `planned`: the last iteration in which each
 * was done (0: never).
 * `holds`: by id of a blocker or decision the keys of the steps that wait for it; `recommended`: by id of a decision
 * the option that the role would take. `mends`: tasks of the plan that stand for an issue, not for a requirement.
 * `half`: by key of a step the commit with what was done of it, unmerged, when its runner died. `worked`: tasks that
 * have measurably changed something, also where a try of theirs failed afterwards. `queue`: extensions
 * that wait for the border of the iteration. `proof_asked`: cd was told that no test shows the goal; `proven`: tests
 * that have shown it before a user extended it. `patches`: edits that the embedded debugger has put in, and how they
 * compare with others. `attempt`: the last turn of cd that changed files, until a validation passes. `counted`: until
 * when working time is in the budget's account; steps may run side by side.
 */
export interface CycleEngine {
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
  roles?: {
    [k: string]: string
  }
  parallel: number
  under_way: CycleStepUnderWay[]
  called: ('ra' | 'ep' | 'cd' | 'vas')[]
  over: ('ra' | 'ep' | 'cd' | 'vas')[]
  done: string[]
  tries?: {
    [k: string]: number
  }
  wrote?: {
    [k: string]: string[]
  }
  analysed: number
  explored: number
  planned: number
  holds?: {
    [k: string]: string[]
  }
  recommended?: {
    [k: string]: string
  }
  mends: string[]
  half?: {
    [k: string]: string
  }
  worked?: string[] | null
  queue: string[]
  objections: string[]
  last_border?: Border | null
  proof_asked?: boolean | null
  proven?: string[] | null
  patches?: AppliedPatch[] | null
  attempt?: Attempt | null
  limits_in_a_row: number
  counted?: string | null
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
 * A step in progress; `step` is its key (see cycle_names). `lane`: which of cd's work trees it uses.
 */
export interface CycleStepUnderWay {
  step: string
  at: string
  lane?: number | null
}
/**
 * How an iteration ended: the hash of its tree, and a digest of its issues.
 */
export interface Border {
  tree: string
  issues: string
}
/**
 * An edit applied to the project. `place`: file, function and line. `diff`: against the file without it.
 */
export interface AppliedPatch {
  place: string
  description: string
  fingerprint: string
  file: string
  diff: string
  comparison: Comparison
  task?: string | null
}
/**
 * Of the `tried` edits, the `passing` ones fix the tests that the patch fixes, and break none.
 *
 * The patch is one of them. `compared` others ran the same calls (`inputs`), of which `differing`
 * behave differently. `elsewhere`: others that change another statement, and are not known to behave alike.
 * `gives`: results with the patch of the calls that tell rivals apart. `chosen_by`: who chose it among its rivals.
 */
export interface Comparison {
  tried: number
  passing: number
  compared: number
  inputs: number
  differing: number
  elsewhere: number
  gives?: {
    [k: string]: string
  }
  rivals: Rival[]
  chosen_by?: string | null
}
/**
 * An edit that passes the same tests as the patch, also in a fresh process, and behaves differently.
 *
 * `place`: file, function and line. `diff`: against the file without any patch. `gives`: its result by call.
 * `alike`: how many of the compared edits behave as this one does, including itself.
 */
export interface Rival {
  id: string
  place: string
  description: string
  fingerprint: string
  file: string
  diff: string
  gives?: {
    [k: string]: string
  }
  alike: number
}
/**
 * The last turn that changed files while tests failed, or before they did.
 *
 * `before` and `after`: commits of the files. `said`: what it reported. `refused`: why the tests as it left them were
 * put back. `failures`: by key of the test, what each failure said before it.
 */
export interface Attempt {
  agent: string
  action: string
  before: string
  after: string
  said: string
  refused: string
  failures: {
    [k: string]: string
  }
}
