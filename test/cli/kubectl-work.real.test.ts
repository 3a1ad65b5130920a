// Documented kubectl commands for a Migration and a Backup (docs/migrations.md, docs/backups.md): the real kubectl on
// the cluster of `konverge dev`.
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RunningKonverge } from './running-konverge.ts'

const { kubectlPath } = attachToControlPlane()
const limitMs = 600_000

it('kubectl waits for a Migration and a Backup, and shows their columns', { timeout: limitMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-kubectl-work-'))
  chmodSync(folder, 0o711) // As root, PostgreSQL runs as another user.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const kubeconfig = join(folder, 'kubeconfig')
  const run = new RunningKonverge(['dev', '--kubeconfig', kubeconfig], { TMPDIR: folder })
  onTestFinished(() => run.kill())
  await run.says('samples have been applied')
  const kubectl = async (...args: readonly string[]) => {
    const access = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(folder, 'cache')}`, '--namespace=shop']
    const { stdout } = await promisify(execFile)(kubectlPath, [...access, ...args])
    return stdout
  }
  expect(await kubectl('wait', '--for=condition=Completed', 'migration/orders-v1', '--timeout=240s')).toBe(
    'migration.data.konverge.dev/orders-v1 condition met\n',
  )
  const [head = '', line = ''] = (await kubectl('get', 'mig')).split('\n')
  expect(head.split(/\s{2,}/)).toEqual(['NAME', 'DATABASE', 'PHASE', 'STEPS', 'LAST APPLIED', 'REASON', 'AGE'])
  expect(line).toMatch(/^orders-v1 +orders +Completed +3\/3 +\S+ +AllStepsVerified +\S+$/)
  // From docs/getting-started.md.
  const step = { name: 'note', sql: 'ALTER TABLE orders ADD note text' }
  const patch = JSON.stringify([{ op: 'add', path: '/spec/steps/-', value: step }])
  await kubectl('patch', 'mig', 'orders-v1', '--type=json', '-p', patch)
  expect(await kubectl('wait', '--for=jsonpath={.status.progress}=4/4', 'mig/orders-v1', '--timeout=240s')).toBe(
    'migration.data.konverge.dev/orders-v1 condition met\n',
  )

  const once = {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup', metadata: { name: 'before-release' } },
    spec: { databaseRef: { name: 'orders' }, target: { pvc: { claimName: 'backups' } } },
  }
  const manifest = join(folder, 'once.yaml')
  writeFileSync(manifest, JSON.stringify(once))
  expect(await kubectl('create', '-f', manifest)).toBe('backup.data.konverge.dev/before-release created\n')
  for (const type of ['Completed', 'Verified']) {
    expect(await kubectl('wait', `--for=condition=${type}`, 'backup/before-release', '--timeout=240s')).toBe(
      'backup.data.konverge.dev/before-release condition met\n',
    )
  }
  const lines = (await kubectl('get', 'bak')).split('\n')
  const titles = ['NAME', 'DATABASE', 'SCHEDULE', 'PHASE', 'VERIFIED', 'BYTES', 'LAST SUCCESS', 'NEXT SCHEDULE', 'AGE']
  expect(lines[0]?.split(/\s{2,}/)).toEqual(titles)
  expect(lines).toContainEqual(expect.stringMatching(/^before-release +orders +Completed +True +\d+ +\S+ +\S+$/))
  expect(lines).toContainEqual(expect.stringMatching(/^nightly +orders +30 2 \* \* \* +Scheduled .*T02:30:00Z +\S+$/))
  // First Backup of the schedule, created immediately.
  const [first = ''] = lines.filter((line) => line.startsWith('nightly-')).map((line) => line.split(' ')[0])
  expect(await kubectl('wait', '--for=condition=Verified', `bak/${first}`, '--timeout=240s')).toContain('condition met')
  expect(await run.end('SIGINT')).toBe(0)
})
