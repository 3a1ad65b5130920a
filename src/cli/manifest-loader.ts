// Objects of a YAML or JSON file, one per document. Invariants: kubectl would send the same objects, and each error
// names file and line.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stdin } from 'node:process'
import { addAbortSignal } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { messageOf } from '../base/errors.ts'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { kubernetesYaml } from '../base/kubernetes-yaml.ts'
import { CommandError } from './command-error.ts'

/**
 * Loads the objects of a file; `-` is standard input. Rejects with a CommandError of exit code 2 that names the file.
 */
export async function loadManifests(path: string, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const text = await read(path, signal)
  // Otherwise, warnings would go to standard error.
  const documents = parseAllDocuments(text, { ...kubernetesYaml, intAsBigInt: true, logLevel: 'error' })
  const objects: JsonObject[] = []
  for (const document of Array.isArray(documents) ? documents : []) {
    const [error] = document.errors
    if (error !== undefined) throw malformed(path, error)
    const value = jsonOf(document, path)
    if (value === null) continue
    if (!isJsonObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string') {
      throw new CommandError(`${path}: every document must be a Kubernetes object with apiVersion and kind`, 2)
    }
    objects.push(value)
  }
  if (objects.length === 0) throw new CommandError(`${path}: there is no object in this file`, 2)
  return objects
}

/**
 * Loads the objects of one file, or of all *.yaml and *.yml directly in a folder, in the order of their names. Rejects
 * like `loadManifests`.
 */
export async function loadFolder(place: URL | string, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const path = place instanceof URL ? fileURLToPath(place) : place
  const names = await readdir(path).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR') return undefined
    throw new CommandError(`cannot read ${path}: ${messageOf(thrown)}`, 2)
  })
  if (names === undefined) return await loadManifests(path, signal)
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort()
  return (await Promise.all(files.map((name) => loadManifests(join(path, name), signal)))).flat()
}

/** Converts a document. Only here the parser resolves aliases, and rejects unknown or exploding ones. */
function jsonOf(document: { toJS(): unknown }, path: string): unknown {
  try {
    return document.toJS()
  } catch (thrown) {
    throw malformed(path, thrown)
  }
}

/** Returns the first line of the parser's message: problem and position. The remaining lines draw the position. */
function malformed(path: string, thrown: unknown): CommandError {
  const [problem = ''] = messageOf(thrown).split('\n')
  return new CommandError(`${path}: ${problem.replace(/:$/, '')}`, 2)
}

async function read(path: string, signal: AbortSignal): Promise<string> {
  try {
    // The path /dev/stdin cannot be opened if standard input is a socket.
    if (path === '-') return await textOf(addAbortSignal(signal, stdin))
    return await readFile(path, { encoding: 'utf8', signal })
  } catch (thrown) {
    signal.throwIfAborted()
    throw new CommandError(`cannot read ${path}: ${messageOf(thrown)}; name a file that holds objects`, 2)
  }
}
