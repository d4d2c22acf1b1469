// Made by `npm run types` from `loopwright schema loop`.
// schema sha256: 462a1f615da08e2088d1dfb3f52937ffeaa88d0e6603c8e9a0bb6bd26909b8d7

export type JsonValue = unknown

/**
 * One loop: API fields on top, the runner's `skill_state`, and what only this engine knows in `engine`.
 */
export interface Loop {
  loop_id: string
  title: string
  description: string
  max_iterations: number
  status: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'user_exit'
  current_iteration: number
  created_at: string
  updated_at: string
  completed_at?: string | null
  failure_reason?: string | null
  tags?: string[] | null
  priority?: ('low' | 'medium' | 'high') | null
  notes?: string | null
  skill_state?: SkillState | null
  engine: EngineState
}
/**
 * What the runner knows; nobody else writes it.
 */
export interface SkillState {
  current_action?: ('init' | 'develop' | 'debug' | 'validate' | 'review' | 'complete') | null
  last_action?: string | null
  completed_actions: string[]
  mode: 'interactive' | 'auto'
  develop: Develop
  debug: Debug
  validate: Validate
  /**
   * @maxItems 100
   */
  errors: ErrorEntry[]
  summary?: Summary | null
}
export interface Develop {
  total: number
  completed: number
  current_task?: string | null
  tasks: DevelopTask[]
  last_progress_at?: string | null
}
/**
 * One unit of development work, as the runner sees it.
 */
export interface DevelopTask {
  id: string
  description: string
  tool: string
  mode: 'analysis' | 'write' | 'review'
  status: 'pending' | 'in_progress' | 'completed' | 'failed'
  files_changed: string[]
  created_at: string
  completed_at?: string | null
}
export interface Debug {
  active_bug?: string | null
  hypotheses_count: number
  hypotheses: Hypothesis[]
  confirmed_hypothesis?: string | null
  iteration: number
  last_analysis_at?: string | null
}
/**
 * A suspected cause, where to look, and what was measured there.
 */
export interface Hypothesis {
  id: string
  description: string
  testable_condition: string
  logging_point: string
  evidence_criteria: EvidenceCriteria
  likelihood: number
  status: 'pending' | 'confirmed' | 'rejected' | 'inconclusive'
  evidence?: {
    [k: string]: JsonValue
  } | null
  verdict_reason?: string | null
}
export interface EvidenceCriteria {
  confirm: string
  reject: string
}
/**
 * The last validation; `pass_rate` and `coverage` in percent.
 */
export interface Validate {
  pass_rate: number
  coverage: number
  test_results: TestResult[]
  passed: boolean
  failed_tests: string[]
  last_run_at?: string | null
}
/**
 * One test as the runner reported it. `duration_ms` in milliseconds.
 */
export interface TestResult {
  test_name: string
  suite: string
  status: 'passed' | 'failed' | 'skipped'
  duration_ms: number
  error_message?: string | null
  stack_trace?: string | null
}
export interface ErrorEntry {
  action: string
  message: string
  timestamp: string
}
/**
 * How the loop ended. `duration` in milliseconds.
 */
export interface Summary {
  duration: number
  iterations: number
  develop?: {
    [k: string]: unknown
  }
  debug?: {
    [k: string]: unknown
  }
  validate?: {
    [k: string]: unknown
  }
}
/**
 * The `engine` of a loop. `attempt`: the last turn that changed files, until a validation passes.
 *
 * `family`: the attempts that it is one of. `review`: what a second agent has said of the work.
 */
export interface EngineState {
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
  menu?: Menu | null
  tasks: LoopTask[]
  retry: string[]
  debug_rounds: number
  /**
   * @maxItems 20
   */
  sightings: Sighting[]
  attempt?: Attempt | null
  spent: Spent
  legacy_id?: string | null
  family?: Family | null
  review?: RunReview | null
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
 * Open until a choice is taken. `choice` was made, but the runner has not taken it yet.
 */
export interface Menu {
  since: string
  entries: MenuEntry[]
  choice?: string | null
}
/**
 * `blocked`: why it cannot be chosen now. One entry is `preselected`.
 */
export interface MenuEntry {
  name: string
  words: string
  blocked?: string | null
  preselected: boolean
}
/**
 * A task in the API: what to do. Its progress is in the DevelopTask with the same id.
 *
 * `proof`: what proves it, if different from the run's. `planned`: the agent itself proposed it.
 */
export interface LoopTask {
  task_id: string
  description: string
  tool: string
  mode: 'analysis' | 'write' | 'review'
  prompt_template: string
  order: number
  created_at: string
  updated_at: string
  command?: string | null
  on_error?: ('continue' | 'pause' | 'fail_fast') | null
  depends_on?: string[] | null
  allow_test_changes?: boolean | null
  proof?: ('auto' | 'mend' | 'preserve' | 'none') | null
  planned?: boolean | null
}
/**
 * What one validation saw, for stall detection (see workflows/loop/stall.py), in digests and counts.
 *
 * `failing`: digest of the names of the failing tests, empty when none fails; `failures`: digests of each of them, up
 * to a cap. `tested` is False for a DEBUG that changed nothing: only `ideas` is news there. `tasks` are completed ones
 * that changed files, `ideas` causes that were named or judged. `failed` is None in sightings of an earlier version.
 */
export interface Sighting {
  failing: string
  tree: string
  failures: string
  failed?: number | null
  passed: number
  coverage: number
  tasks: number
  ideas: number
  tested: boolean
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
/**
 * Folds that happen once in a loop's life, and the counters behind the selector's facts.
 *
 * `proof_task`: the task that asks for a proof. `environment_task`: one was made that asks to put back what tests run
 * with. `unchanged`: tasks that were carried out and changed nothing.
 * `worked`: tasks for which something was changed by a turn that came to no end, or by debugging after they failed.
 */
export interface Spent {
  threshold_task: boolean
  fruitless_task: boolean
  proof_task?: string | null
  environment_task: boolean
  unchanged?: string[] | null
  worked?: string[] | null
  revived: string[]
  failures_in_a_row: number
  limits_in_a_row: number
  fewest_failing?: number | null
}
/**
 * The attempts at one goal, in order; each state holds the same, so that any of them leads to all.
 *
 * At most `parallel` run at once. `run_all`: none is stopped because another has succeeded. `winner`: the id of the
 * one that was chosen, empty where none was; None until that is settled for the run that says it.
 */
export interface Family {
  /**
   * @minItems 2
   */
  members: FamilyMember[]
  parallel: number
  run_all: boolean
  winner?: string | null
}
/**
 * One of several attempts at a goal: its run, and the agent that works on it, as NAME:MODEL@EFFORT.
 */
export interface FamilyMember {
  id: string
  agent: string
}
/**
 * What a second agent, which only reads, has said of a run's work before its end; it decides nothing.
 *
 * `tree`: the one that was reviewed last, in review number `round`; `missing`: why that came to nothing. `orders`: how
 * often objections became a task; `task`: the last of these. `good`: private commit of what had passed before, until
 * the work on it is reviewed.
 */
export interface RunReview {
  by: string
  tree: string
  at: string
  round: number
  orders: number
  task?: string | null
  good?: string | null
  missing?: string | null
  /**
   * @maxItems 40
   */
  objections: Objection[]
}
/**
 * Why the work fails its task, as a reviewer says. `line`: where `quote` stands; None: only in the diff.
 *
 * open: nobody has worked on it. answered: files were changed for it, and `answer` says how. disputed: the agent at
 * work says in `answer` why it does not hold. settled: a later review does not raise it again.
 */
export interface Objection {
  id: string
  file: string
  line?: number | null
  quote: string
  why: string
  status: 'open' | 'disputed' | 'answered' | 'settled'
  answer?: string | null
}
