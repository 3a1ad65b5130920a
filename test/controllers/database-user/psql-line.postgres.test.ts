// The commands of docs/database-users.md that log in with psql, run as printed against a server whose CA is in the
// Secret alone.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { bindingManifest } from '../../../src/controllers/database-user/binding-secret.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'

const psql = '/usr/bin/psql'
const run = promisify(execFile)
const page = readFileSync(new URL('../../../docs/database-users.md', import.meta.url), 'utf8')

onEachPostgres('psql with the Secret of a DatabaseUser', (_, version) => {
  it.skipIf(!existsSync(psql))('logs in by the commands of docs/database-users.md', async () => {
    const server = await startPostgres({ version, tlsFor: ['127.0.0.1'] })
    const { host, port, username, password } = server.access()
    const { data } = bindingManifest({
      target: { host, port, sslMode: 'verify-full', ca: server.certificate ?? '', databases: ['postgres'] },
      held: { active: { username, password, verifier: 'v' }, rotatedAtMs: 0, generation: 1, source: 'generate' },
    })
    const folder = mkdtempSync(join(tmpdir(), 'psql-line-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const answers = { '{.data.ca\\.crt}': data['ca.crt'], '{.data.uri}': data['uri'] }
    const cases = Object.entries(answers).map(([path, value]) => `'jsonpath=${path}') printf %s '${value}' ;;`)
    writeFileSync(
      join(folder, 'kubectl'),
      `#!/bin/sh\ncase "$5" in
\n${cases.join('\n')}\nesac\n`,
      { mode: 0o755 },
    )
    const lines = [...page.matchAll(/^ {4}(?:kubectl get secret web-db|PGSSLROOTCERT=).*$/gm)].map(([line]) => line)
    expect(lines).toHaveLength(2)
    const script = lines.join('\n')
    const env = { PATH: [folder, process.env['PATH']].join(delimiter), HOME: folder, PGCONNECT_TIMEOUT: '10' }
    const asked = `${script} -Atc 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'`
    expect((await run('sh', ['-c', asked], { cwd: folder, env })).stdout).toBe('t\n')
  })
})
