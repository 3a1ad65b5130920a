// Are the generated files what the definitions say? Reads crds/, writes or compares imports/. Everything is generated
// before the first file is touched, so a refusal leaves the folder as it was.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { messageOf } from '../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { door } from './door.ts'
import { GenerateError } from './generate-error.ts'
import { isGenerated } from './header.ts'
import { runImport } from './import-runner.ts'
import { readCrd } from './read-crd.ts'
import { type WireModule, wireTypes } from './wire-types.ts'

export interface GenerateOptions {
  /** Where the definitions are: every *.yaml and *.yml directly in it, one or more documents each. */
  readonly crdFolder: string
  /** Where the generated code goes. Generated files in it that nothing is generated for any more are removed. */
  readonly outFolder: string
  /** `check` compares and writes nothing. */
  readonly mode: 'write' | 'check'
}

export interface GeneratedFile {
  /** Inside `outFolder`, with slashes. */
  readonly path: string
  /** How the folder stood before: as generated, different, without the file, or with one that nothing is generated for. */
  readonly state: 'fresh' | 'stale' | 'missing' | 'orphaned'
}

/**
 * Generates, and reports on every file. In mode `check` the folder is up to date if all are `fresh`.
 *
 * @throws {GenerateError} see its codes; nothing was written then.
 */
export async function generate(options: GenerateOptions, signal: AbortSignal): Promise<readonly GeneratedFile[]> {
  const wanted = await render(options, signal)
  const present = await readPresent(options.outFolder, signal)
  refuseForeign(present, wanted)
  const generated = [...present].filter(([, text]) => isGenerated(text)).map(([path]) => path)
  const paths = [...new Set([...wanted.keys(), ...generated])].sort()
  const files = paths.map((path) => ({ path, state: stateOf(wanted.get(path), present.get(path)) }))
  if (options.mode === 'check') return files
  for (const { path, state } of files) {
    const target = join(options.outFolder, path)
    const text = wanted.get(path)
    if (text === undefined) await rm(target)
    else if (state !== 'fresh') await write(target, text, signal)
  }
  return files
}

function stateOf(wanted: string | undefined, present: string | undefined): GeneratedFile['state'] {
  if (wanted === undefined) return 'orphaned'
  if (present === undefined) return 'missing'
  return wanted === present ? 'fresh' : 'stale'
}

/** Text by path. */
async function render({ crdFolder }: GenerateOptions, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const definitions = await readDefinitions(crdFolder, signal)
  const read = definitions.map(({ document, source }) => ({ crd: readCrd(document, source), source }))
  const wireModules = read.map(({ crd, source }) => wireTypes(crd, source))
  refuseDuplicates(wireModules, definitions)
  const source = basename(resolve(crdFolder))
  const modules = await runImport({ definitions: read, source, searchFrom: import.meta.dirname }, signal)
  const groups = modules.map(({ fileName }) => fileName.replace(/\.ts$/, ''))
  return new Map([
    ...modules.map(({ fileName, text }) => [fileName, text] as const),
    ...wireModules.map(({ name, text }) => [`wire/${name}.ts`, text] as const),
    ['index.ts', door({ source, groups, wireModules })],
  ])
}

interface Definition {
  /** The file as people know it: `crds/database.yaml`. */
  readonly source: string
  readonly document: JsonObject
}

async function readDefinitions(crdFolder: string, signal: AbortSignal): Promise<Definition[]> {
  const folder = basename(resolve(crdFolder))
  const fileNames = (await readFolder(crdFolder, folder)).filter((name) => /\.ya?ml$/.test(name)).sort()
  if (fileNames.length === 0) {
    throw new GenerateError({
      code: 'Unreadable',
      source: folder,
      problem: 'there is no *.yaml in it; put the definitions there',
    })
  }
  const definitions: Definition[] = []
  for (const fileName of fileNames) {
    const source = `${folder}/${fileName}`
    const text = await readFile(join(crdFolder, fileName), { encoding: 'utf8', signal })
    for (const document of parse(text, source)) {
      if (!isJsonObject(document))
        throw new GenerateError({ code: 'NotACrd', source, problem: 'a document is no object' })
      definitions.push({ source, document })
    }
  }
  return definitions
}

async function readFolder(path: string, source: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (cause) {
    const problem = `the folder cannot be read (${messageOf(cause)}); name the one that holds the definitions`
    throw new GenerateError({ code: 'Unreadable', source, problem, cause })
  }
}

/** The documents of a file, empty ones left out. */
function parse(text: string, source: string): Json[] {
  const documents = parseAllDocuments(text)
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) {
      throw new GenerateError({
        code: 'Unreadable',
        source,
        problem: `this is no YAML: ${error.message}`,
        cause: error,
      })
    }
    // The parser gives plain JSON values: no custom tags are switched on.
    const value = document.toJS() as Json
    return value === null ? [] : [value]
  })
}

function refuseDuplicates(modules: readonly WireModule[], definitions: readonly Definition[]): void {
  const sources = new Map<string, string>()
  const claim = (name: string, source: string) => {
    const other = sources.get(name)
    if (other !== undefined) {
      const problem = `${name} is also generated from ${other}; rename one kind, or keep them in separate folders`
      throw new GenerateError({ code: 'DuplicateKind', source, problem })
    }
    sources.set(name, source)
  }
  for (const [index, module] of modules.entries()) {
    const source = definitions[index]?.source ?? ''
    claim(`wire/${module.name}.ts`, source)
    for (const name of [...module.values, ...module.types]) claim(name, source)
  }
}

/** The TypeScript in the places where ours goes, by path with slashes. */
async function readPresent(outFolder: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const folder of ['', 'wire/']) {
    for (const name of await namesIn(join(outFolder, folder))) {
      texts.set(`${folder}${name}`, await readFile(join(outFolder, folder, name), { encoding: 'utf8', signal }))
    }
  }
  return texts
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts')).map(({ name }) => name)
}

function refuseForeign(present: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): void {
  for (const [path, text] of present) {
    if (!wanted.has(path) || isGenerated(text)) continue
    const problem = 'this file is in the way and was not generated; move it, or generate into another folder'
    throw new GenerateError({ code: 'ForeignFile', source: path, problem })
  }
}

async function write(path: string, text: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text, { encoding: 'utf8', signal })
}
