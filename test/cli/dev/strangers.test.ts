// Other users of the machine that runs `konverge dev`: access to its folder, its kubeconfig and its ports.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { get as getByTls } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeKubeconfig } from '../../../src/cli/kubeconfig-file.ts'
import { folderFault } from '../../../src/cli/own-folder.ts'
import { machineUserAttempts } from '../../adversary/attempts/machine-user.ts'
import { canBeStranger, openToOthers, reachedByStranger } from '../../local-node/strangers.ts'
import { RunningKonverge } from '../running-konverge.ts'

let folder: string
let running: RunningKonverge

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-strangers-'))
  chmodSync(folder, 0o711) // Others can reach the persisted folder.
  running = new RunningKonverge(['dev', '--no-samples', '--persist', join(folder, 'kept')], { TMPDIR: folder })
  await running.says('Ctrl-C ends everything')
})

afterAll(async () => {
  await running?.end('SIGINT')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('another user of the machine', () => {
  it(titleOf('keptFiles'), () => {
    expect(openToOthers(join(folder, 'kept'))).toEqual([])
    // Only root can start a process as another user; otherwise, the test checks the modes.
    if (canBeStranger) expect(reachedByStranger(join(folder, 'kept'))).toEqual([])
  })

  it(titleOf('apiServer'), async () => {
    const { url } = serverOf(join(folder, 'kept', 'kubeconfig'))
    for (const headers of [{}, { authorization: 'Bearer guess' }]) {
      const answer = await askInsecurely(`${url}/api/v1/secrets`, headers)
      expect([401, 403]).toContain(answer.status)
    }
  })
})

describe('a web page', () => {
  const page = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }

  it('gets no permission of the API server to read a response', async () => {
    const { url } = serverOf(join(folder, 'kept', 'kubeconfig'))
    for (const path of ['/version', '/api/v1/secrets']) {
      const { headers } = await askInsecurely(`${url}${path}`, page)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('reads no metrics under a name that resolves to this machine', async () => {
    const [metricsUrl = ''] = /http\S+\/metrics/.exec(running.stdout) ?? []
    const { hostname, port } = new URL(metricsUrl)
    const statusFor = (host: string) => statusOf({ hostname, port, path: '/metrics', host })
    expect(await statusFor(`${hostname}:${port}`)).toBe(200)
    expect(await statusFor(`localhost:${port}`)).toBe(200)
    expect(await statusFor(`evil.example:${port}`)).toBe(421)
    expect(await statusFor('127.0.0.1.evil.example')).toBe(421)
  })
})

describe('a kubeconfig in a folder that others write to', () => {
  it(titleOf('link'), async () => {
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    const theirs = join(folder, 'theirs')
    writeFileSync(theirs, '')
    symlinkSync(theirs, join(shared, `kubeconfig.${process.pid}`))
    const file = await writeKubeconfig(join(shared, 'kubeconfig'), '{"token":"secret"}')
    expect(readFileSync(theirs, 'utf8')).toBe('')
    expect(readFileSync(file.path, 'utf8')).toBe('{"token":"secret"}')
    expect(openToOthers(shared).filter((path) => path.endsWith('kubeconfig'))).toEqual([])
  })
})

describe('a folder to keep', () => {
  it.each([
    ['of its own user', { ownerId: 7, mode: 0o40700 }, undefined],
    ['that its group writes', { ownerId: 7, mode: 0o40775 }, undefined],
    ['of another user', { ownerId: 8, mode: 0o40700 }, /^belongs to another user/],
    ['that everybody writes', { ownerId: 7, mode: 0o41777 }, /^can be written by every user/],
  ] as const)('%s', (_title, stat, fault) => {
    if (fault === undefined) expect(folderFault(stat, 7)).toBeUndefined()
    else expect(folderFault(stat, 7)).toMatch(fault)
  })
})

function titleOf(name: keyof typeof machineUserAttempts): string {
  const { does, sentence } = machineUserAttempts[name]
  return `${does}: ${sentence}`
}

interface Seen {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
}

/** Sends a request without verification of the server's certificate. */
function askInsecurely(url: string, headers: Readonly<Record<string, string>>): Promise<Seen> {
  return new Promise((resolve, reject) => {
    getByTls(url, { headers, rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve({ status: answer.statusCode, headers: answer.headers }))
    }).once('error', reject)
  })
}

function statusOf({ host, ...at }: { hostname: string; port: string; path: string; host: string }) {
  return new Promise<number | undefined>((resolve, reject) => {
    get({ ...at, headers: { host }, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode))
    }).once('error', reject)
  })
}

function serverOf(kubeconfig: string): { readonly url: string } {
  return { url: JSON.parse(readFileSync(kubeconfig, 'utf8')).clusters[0].cluster.server }
}
