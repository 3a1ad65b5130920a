// By what do clients know a server again that was away? By its certificate, its port, and the tokens that it gave out: what makes
// those is kept in a folder of the persisted one that only its user enters. It is there, whole, before anybody is told of it.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { isJsonList, isJsonObject } from '../base/json.ts'
import { systemRandom } from '../base/random.ts'
import { newServerIdentity, type ServerIdentity } from '../base/server-identity.ts'
import { CommandError } from './command-error.ts'

export interface KnownServer {
  /** The bearer token of its user, where none was given. */
  readonly token: string
  /** Signs the tokens of service accounts. */
  readonly tokenKey: string
  readonly identity: ServerIdentity
  /** Names that its certificate is good for. */
  readonly hosts: readonly string[]
  /** Where it listened last; absent: nowhere yet. */
  readonly port?: number
}

const fileName = 'server.json'

/** One that nobody knows yet. */
export function newServer(hosts: readonly string[]): KnownServer {
  const identity = newServerIdentity({ commonName: 'konverge', hosts, nowMs: systemClock.now() })
  return { token: newSecret(), tokenKey: newSecret(), identity, hosts }
}

/** As it was, or a new one; with another certificate if the old one is not good for `hosts`. Rejects with a CommandError. */
export async function readServer(folder: string, hosts: readonly string[]): Promise<KnownServer> {
  const path = join(folder, 'keys', fileName)
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw new CommandError(`--persist: cannot read ${path}: ${messageOf(thrown)}`, 2)
  })
  const fresh = newServer(hosts)
  if (text === undefined) return fresh
  const known = parsed(text)
  if (known === undefined)
    throw new CommandError(`--persist: ${path} is damaged; remove it, and clients get new credentials`, 2)
  if (hosts.every((host) => known.hosts.includes(host))) return known
  return { ...known, identity: fresh.identity, hosts }
}

/** Keeps it for the next life. */
export async function keepServer(folder: string, server: KnownServer): Promise<void> {
  const keys = join(folder, 'keys')
  await mkdir(keys, { recursive: true, mode: 0o700 })
  const draft = join(keys, `${fileName}.${process.pid}`)
  await writeFile(draft, `${JSON.stringify(server, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, join(keys, fileName))
}

function newSecret(): string {
  return `${systemRandom.uuid()}${systemRandom.uuid()}`.replaceAll('-', '')
}

function parsed(text: string): KnownServer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value) || !isJsonObject(value.identity) || !isJsonList(value.hosts)) return undefined
    const texts = [value.token, value.tokenKey, value.identity.key, value.identity.certificate, ...value.hosts]
    // Sound: `keepServer` wrote it, and its parts are there.
    return texts.every((part) => typeof part === 'string' && part !== '')
      ? (value as unknown as KnownServer)
      : undefined
  } catch {
    return undefined
  }
}
