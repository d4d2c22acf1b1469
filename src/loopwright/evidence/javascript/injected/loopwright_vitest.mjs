// A Vitest reporter (versions 1 to 5) that writes down what happens to every test.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const { Log, words } = require('./loopwright_log.cjs')
const { order, keepsConfigured } = globalThis[Symbol.for('loopwright.vitest')]

export default class Reporter {
  constructor() {
    this.log = new Log(order, 'vitest')
    this.modern = false // told of test cases, as since version 3
    this.ended = new Set()
  }

  async onInit(vitest) {
    this.vitest = vitest
    this.log.write('begin')
    await measure(vitest)
    if (keepsConfigured) await addConfigured(vitest)
  }

  onTestRunStart() {
    this.modern = true
  }

  onTestModuleQueued(module) {
    this.log.write('start', this.named(module.moduleId, []))
  }

  onTestCaseReady(test) {
    this.log.write('start', this.named(test.module.moduleId, namesOf(test)))
  }

  onTestCaseResult(test) {
    const { state, errors, note } = test.result()
    const ms = test.diagnostic()?.duration ?? 0
    this.write('result', test.module.moduleId, namesOf(test), state, errors, ms, note)
  }

  onTestModuleEnd(module) {
    this.ended.add(module.moduleId)
    for (const suite of module.children.allSuites()) this.errors(module.moduleId, namesOf(suite), suite)
    this.errors(module.moduleId, [], module)
    this.log.write('done', this.named(module.moduleId, []))
  }

  onTestRunEnd(modules, errors, reason) {
    // Version 3 says nothing else of a file that could not be loaded.
    for (const module of modules) if (!this.ended.has(module.moduleId)) this.onTestModuleEnd(module)
    if (reason !== 'interrupted') this.log.write('end', { status: reason === 'passed' && errors.length === 0 ? 0 : 1 })
  }

  onCoverage(map) {
    if (typeof map?.files !== 'function' || map.files().length === 0) return
    fs.writeFileSync(path.join(order.folder, `${process.pid}.istanbul.json`), JSON.stringify(map))
  }

  // Versions 1 and 2.
  onTaskUpdate(packs) {
    if (this.modern) return
    for (const task of packs.map(([id]) => this.vitest.state.idMap.get(id))) {
      if (task?.type !== 'test' && task?.type !== 'custom') continue
      if (task.result?.state === 'run') this.log.write('start', this.named((task.file ?? task).filepath, titles(task)))
      else if (task.result?.state !== undefined) this.task('provisional', task)
    }
  }

  onFinished(files, errors) {
    if (this.modern) return
    const walk = (task) => {
      if (task.tasks === undefined) return this.task('result', task)
      task.tasks.forEach(walk)
      if (task.result?.errors?.length) this.task('result', task)
    }
    files.forEach(walk)
    const failed = errors.length > 0 || files.some((file) => file.result?.state === 'fail')
    this.log.write('end', { status: failed ? 1 : 0 })
  }

  task(kind, task) {
    const state = { pass: 'passed', fail: 'failed' }[task.result?.state] ?? 'skipped'
    this.write(kind, (task.file ?? task).filepath, titles(task), state, task.result?.errors, task.result?.duration ?? 0)
  }

  // What went wrong around the tests: in a hook, or while the file was loaded.
  errors(file, names, holder) {
    const errors = holder.errors()
    if (errors.length > 0) this.write('result', file, names, 'failed', errors, 0)
  }

  write(kind, file, names, state, errors, ms, note) {
    const status = state === 'passed' || state === 'failed' ? state : 'skipped'
    const first = status === 'failed' ? errors?.[0] : undefined
    const failure = () => words(first?.message ?? 'failed', errors?.map(story).join('\n\n'))
    const told = status === 'failed' ? failure() : { message: note ?? '', trace: '' }
    this.log.write(kind, { ...this.named(file, names), status, ms, ...told })
  }

  named(file, names) {
    return { file: this.log.fileOf(file), path: names, token: [file, ...names].join('\0') }
  }
}

function namesOf(entity) {
  const names = []
  for (let at = entity; at.type !== 'module'; at = at.parent) names.unshift(at.name)
  return names
}

function titles(task) {
  const names = []
  const file = task.file ?? task // in version 1 a file does not know itself
  for (let at = task; at && at !== file; at = at.suite) if (at.name) names.unshift(at.name)
  return names
}

function story(error) {
  return `${error.stack ?? error.message ?? ''}${error.diff ? `\n${error.diff}` : ''}`
}

// Coverage that nobody asked for leaves no files and cannot fail the run. From version 3 on, which hands it to reporters.
async function measure(vitest) {
  const coverage = vitest.config.coverage
  if (vitest.getRootProject === undefined) return
  if (coverage.enabled || !isInstalled(`@vitest/coverage-${coverage.provider}`, vitest.config.root)) return
  coverage.enabled = true
  coverage.reporter = []
  coverage.reportsDirectory = path.join(order.folder, `vitest-coverage-${process.pid}`)
  coverage.reportOnFailure = true
  coverage.thresholds = undefined
  // In version 3 the answer that nothing is measured was kept, and has to be forgotten.
  if (Object.hasOwn(vitest, 'coverageProvider')) vitest.coverageProvider = undefined
  await vitest.initCoverageProvider()
  await vitest.coverageProvider?.clean(true)
}

function isInstalled(name, folder) {
  if (fs.existsSync(path.join(folder, 'node_modules', name, 'package.json'))) return true
  const above = path.dirname(folder)
  return above !== folder && isInstalled(name, above)
}

// A reporter on the command line displaces the configured ones, so that they are added again.
async function addConfigured(vitest) {
  const configured = [await configuredReporters(vitest.vite ?? vitest.server)].flat()
  const wanted = configured.length > 0 ? configured : ['default']
  const known = (await ownModule('node')).ReportersMap ?? (await ownModule('reporters')).ReportersMap
  for (const entry of wanted) {
    try {
      const reporter = await made(entry, known, vitest.config.root)
      await reporter.onInit?.(vitest)
      vitest.reporters.push(reporter)
    } catch (error) {
      process.stderr.write(`loopwright: a configured reporter is left out in this run: ${error.message}\n`)
    }
  }
}

async function configuredReporters(server) {
  const told = server.config.test?.reporters ?? []
  const isDisplaced = [told].flat(2).includes(fileURLToPath(import.meta.url))
  if (!isDisplaced || server.config.configFile === undefined) return isDisplaced ? [] : told
  // Since version 5 what it had read is gone.
  const { loadConfigFromFile } = await import(pathToFileURL(createRequire(program()).resolve('vite')))
  const { command, mode, configFile } = server.config
  return (await loadConfigFromFile({ command, mode }, configFile))?.config.test?.reporters ?? []
}

function ownModule(name) {
  return import(pathToFileURL(path.join(path.dirname(program()), 'dist', `${name}.js`)))
}

function program() {
  return fs.realpathSync(process.argv[1])
}

async function made(entry, known, root) {
  if (typeof entry === 'object' && !Array.isArray(entry)) return entry
  const [name, options] = [entry].flat()
  if (known[name] !== undefined) return new known[name](options ?? {})
  const file = name.startsWith('.') ? path.resolve(root, name) : createRequire(path.join(root, 'package.json')).resolve(name)
  const { default: Custom } = await import(pathToFileURL(file))
  return new Custom(options ?? {})
}
