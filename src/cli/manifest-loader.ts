// Which objects does a YAML or JSON file hold? Every document of it; each fault is a sentence that names file and line.
import { readFile } from 'node:fs/promises'
import { parseAllDocuments } from 'yaml'
import { messageOf } from '../base/errors.ts'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { CommandError } from './command-error.ts'

export async function loadManifests(path: string): Promise<readonly JsonObject[]> {
  const text = await read(path)
  const documents = parseAllDocuments(text)
  const objects: JsonObject[] = []
  for (const document of Array.isArray(documents) ? documents : []) {
    const [error] = document.errors
    if (error !== undefined) throw new CommandError(`${path}: ${error.message.split('\n')[0]}`, 2)
    const value: unknown = document.toJS()
    if (value === null) continue
    if (!isJsonObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string') {
      throw new CommandError(`${path}: every document must be a Kubernetes object with apiVersion and kind`, 2)
    }
    objects.push(value)
  }
  if (objects.length === 0) throw new CommandError(`${path}: there is no object in this file`, 2)
  return objects
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path === '-' ? '/dev/stdin' : path, 'utf8')
  } catch (thrown) {
    throw new CommandError(`cannot read ${path}: ${messageOf(thrown)}; name a file with the resources to preview`, 2)
  }
}
