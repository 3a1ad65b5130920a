// Runs `cdk8s import` on the definitions in a temporary folder. It passes all definitions in one file, because the
// program overwrites the module of an API group with every file.
import { spawn } from 'node:child_process'
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { GenerateError } from './generate-error.ts'
import { header } from './header.ts'
import { importable, type ReadCrd } from './importable.ts'
import { mendImport, unforeseen } from './mend-import.ts'

export interface ImportedModule {
  /** `data.konverge.dev.ts` */
  readonly fileName: string
  readonly text: string
}

export interface ImportOptions {
  readonly definitions: readonly ReadCrd[]
  /** Source of the definitions, for messages. */
  readonly source: string
  /** Folder from which the search for cdk8s-cli goes upwards. */
  readonly searchFrom: string
}

const timeLimitMs = 120_000
const maxReportBytes = 65_536

/**
 * @throws {GenerateError} `UnsupportedSchema`, with the path of the part that constructs cannot express, or
 * `ImportFailed`, with the program's output.
 */
export async function runImport(options: ImportOptions, signal: AbortSignal): Promise<readonly ImportedModule[]> {
  const { documents, realNames } = importable(options.definitions)
  const program = await findProgram(options)
  const scratch = await mkdtemp(join(tmpdir(), 'konverge-import-'))
  try {
    // JSON is YAML, has no aliases, and needs no YAML writer.
    const text = documents.map((document) => JSON.stringify(document)).join('\n---\n')
    await writeFile(join(scratch, 'definitions.yaml'), text, { signal })
    await execute(program, scratch, options, signal)
    const written = await readModules(join(scratch, 'out'), signal)
    const problem = unforeseen({ written, groups: options.definitions.map(({ crd }) => crd.group), realNames })
    if (problem !== undefined) throw failedImport(options, problem)
    return written.map(({ fileName, text }) => ({
      fileName,
      text: `${header(options.source)}\n${mendImport(text, realNames)}`,
    }))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function readModules(folder: string, signal: AbortSignal): Promise<readonly ImportedModule[]> {
  const fileNames = (await readdir(folder)).sort()
  return Promise.all(
    fileNames.map(async (fileName) => ({
      fileName,
      text: await readFile(join(folder, fileName), { encoding: 'utf8', signal }),
    })),
  )
}

/** Finds the program by path: the package's exports forbid a resolution by name. */
async function findProgram({ source, searchFrom }: ImportOptions): Promise<string> {
  for (let folder = searchFrom; ; folder = dirname(folder)) {
    const program = join(folder, 'node_modules', 'cdk8s-cli', 'bin', 'cdk8s')
    if (await exists(program)) return program
    if (dirname(folder) === folder) break
  }
  throw new GenerateError({
    code: 'ImportFailed',
    source,
    problem: 'cdk8s-cli is not installed; add it to the devDependencies',
  })
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    // Whatever the reason: an unreachable program cannot run.
    return false
  }
}

function execute(program: string, scratch: string, options: ImportOptions, signal: AbortSignal): Promise<void> {
  const flags = ['--language', 'typescript', '--output', 'out', '--no-save', '--no-check-upgrade']
  const limit = AbortSignal.timeout(timeLimitMs)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'import', 'definitions.yaml', ...flags], {
      cwd: scratch,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.any([signal, limit]),
    })
    let report = ''
    const listen = (chunk: Buffer) => {
      report = (report + chunk.toString()).slice(-maxReportBytes)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('error', (cause) => {
      const problem = limit.aborted ? `took more than ${timeLimitMs / 1000} s` : `did not run: ${messageOf(cause)}`
      reject(signal.aborted ? signal.reason : failedImport(options, problem, cause))
    })
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(failedImport(options, `ended with ${code}: ${report.trim()}`)),
    )
  })
}

function failedImport({ source }: ImportOptions, problem: string, cause?: unknown): GenerateError {
  return new GenerateError({ code: 'ImportFailed', source, problem: `cdk8s import ${problem}`, cause })
}
