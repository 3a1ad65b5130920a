// Generator of imports/ from crds/. Invariant: it generates everything before it changes the first file, so an error
// leaves the folder unchanged.
import type { Dirent } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Document, parseAllDocuments } from 'yaml'
import { messageOf } from '../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { kubernetesYaml } from '../base/kubernetes-yaml.ts'
import { door } from './door.ts'
import { GenerateError } from './generate-error.ts'
import { isGenerated } from './header.ts'
import { runImport } from './import-runner.ts'
import { readCrd } from './read-crd.ts'
import { type WireModule, wireTypes } from './wire-types.ts'

export interface GenerateOptions {
  /** Folder of the definitions: every *.yaml and *.yml directly in it, one or more documents each. */
  readonly crdFolder: string
  /** Folder of the generated code. Generated files without a source any more are removed. */
  readonly outFolder: string
  /** `check` compares and writes nothing. */
  readonly mode: 'write' | 'check'
}

export interface GeneratedFile {
  /** Inside `outFolder`, with slashes. */
  readonly path: string
  /** State of the file before: as generated, different, missing, or generated without a source any more. */
  readonly state: 'fresh' | 'stale' | 'missing' | 'orphaned'
}

/**
 * Generates, and reports on every file. In mode `check` the folder is up to date if all are `fresh`.
 *
 * @throws {GenerateError} with one of its codes; then nothing was written.
 */
export async function generate(options: GenerateOptions, signal: AbortSignal): Promise<readonly GeneratedFile[]> {
  const wanted = await render(options, signal)
  const present = await readPresent(options.outFolder, signal)
  refuseForeign(present, wanted)
  const generated = [...present].filter(([, text]) => isGenerated(text)).map(([path]) => path)
  const paths = [...new Set([...wanted.keys(), ...generated])].sort()
  const files = paths.map((path) => ({ path, state: stateOf(wanted.get(path), present.get(path)) }))
  if (options.mode === 'check') return files
  const changed = files.filter(({ state }) => state !== 'fresh').map(({ path }) => path)
  if (changed.length > 0) await replace(options.outFolder, changed, wanted, signal)
  return files
}

/**
 * Writes all files beside the folder's files before it replaces the first one: a full disk leaves the folder unchanged.
 */
async function replace(
  outFolder: string,
  paths: readonly string[],
  wanted: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(outFolder, { recursive: true })
  const staging = await mkdtemp(join(outFolder, '.generated-'))
  try {
    const written = paths.filter((path) => wanted.has(path))
    for (const path of written) {
      await mkdir(dirname(join(staging, path)), { recursive: true })
      await writeFile(join(staging, path), wanted.get(path) ?? '', { encoding: 'utf8', signal })
    }
    for (const path of written) {
      await mkdir(dirname(join(outFolder, path)), { recursive: true })
      await rename(join(staging, path), join(outFolder, path))
    }
    for (const path of paths.filter((path) => !wanted.has(path))) await rm(join(outFolder, path))
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
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
  /** Path of the file in messages: `crds/database.yaml`. */
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

/** Returns the documents of a file, without empty ones. */
function parse(text: string, source: string): Json[] {
  // Parses like kubectl, so that a field without required quotes shows.
  const documents = parseAllDocuments(text, kubernetesYaml)
  if (!Array.isArray(documents)) return []
  return documents.map((document) => readDocument(document, source)).filter((value) => value !== null)
}

function readDocument(document: Document.Parsed, source: string): Json {
  const [error] = document.errors
  if (error !== undefined) throw noYaml(error, source)
  try {
    // The parser returns plain JSON values.
    return document.toJS() as Json
  } catch (cause) {
    // An alias without an anchor, or aliases that expand to more than the parser's limit.
    throw noYaml(cause, source)
  }
}

function noYaml(cause: unknown, source: string): GenerateError {
  return new GenerateError({ code: 'Unreadable', source, problem: `this is no YAML: ${messageOf(cause)}`, cause })
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

/** Returns the TypeScript files at the output paths, by path with slashes. A path that is no file counts as foreign. */
async function readPresent(outFolder: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const folder of ['', 'wire/']) {
    for (const entry of await entriesOf(join(outFolder, folder))) {
      if (!entry.name.endsWith('.ts')) continue
      const path = `${folder}${entry.name}`
      texts.set(path, entry.isFile() ? await readFile(join(outFolder, path), { encoding: 'utf8', signal }) : '')
    }
  }
  return texts
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

function refuseForeign(present: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): void {
  for (const [path, text] of present) {
    if (!wanted.has(path) || isGenerated(text)) continue
    const problem = 'this file is in the way and was not generated; move it, or generate into another folder'
    throw new GenerateError({ code: 'ForeignFile', source: path, problem })
  }
}
