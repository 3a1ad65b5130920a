// Persisted identity of a server: certificate, port and token keys, by which clients recognize it after a restart. It
// is in a subfolder that only its user can enter. Invariant: the file is complete before a client learns of the server.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { isJsonList, isJsonObject } from '../base/json.ts'
import { systemRandom } from '../base/random.ts'
import { newServerIdentity, type ServerIdentity } from '../base/server-identity.ts'
import { CommandError } from './command-error.ts'

export interface KnownServer {
  /** Bearer token of the user, unless an option sets it. */
  readonly token: string
  /** Key that signs the tokens of service accounts. */
  readonly tokenKey: string
  readonly identity: ServerIdentity
  /** Names and addresses that the certificate covers. */
  readonly hosts: readonly string[]
  /** Last port; absent: the server has not listened yet. */
  readonly port?: number
}

const fileName = 'server.json'

/** Returns a new identity. */
export function newServer(hosts: readonly string[]): KnownServer {
  const identity = newServerIdentity({ commonName: 'konverge', hosts, nowMs: systemClock.now() })
  return { token: newSecret(), tokenKey: newSecret(), identity, hosts }
}

/**
 * Returns the persisted identity, or a new one. If its certificate does not cover `hosts`, the certificate is new.
 * Rejects with a CommandError.
 */
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

/** Writes the identity for the next start. */
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
    // Sound: `keepServer` wrote the file, and all parts exist.
    return texts.every((part) => typeof part === 'string' && part !== '')
      ? (value as unknown as KnownServer)
      : undefined
  } catch {
    return undefined
  }
}
