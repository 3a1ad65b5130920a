import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasControls } from '../../src/base/terminal-text.ts'
import { konverge, sentenceOf } from './konverge.ts'
import { RunningKonverge } from './running-konverge.ts'

const store = (spec: string, metadata = 'name: cart, namespace: shop') => `apiVersion: data.konverge.dev/v1alpha1
kind: ReplicatedKVStore
metadata: { ${metadata} }
spec: { image: 'valkey/valkey:8.0', ${spec} }
`

describe('konverge diff', { timeout: 300_000 }, () => {
  let folder: string
  let kubeconfig: string
  let dev: RunningKonverge
  const diff = (input: string, ...args: readonly string[]) =>
    konverge(['diff', '-f', '-', '--kubeconfig', kubeconfig, ...args], { input })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'konverge-diff-test-'))
    chmodSync(folder, 0o711) // As root, PostgreSQL runs as another user.
    kubeconfig = join(folder, 'kubeconfig')
    dev = new RunningKonverge(['dev', '--kubeconfig', kubeconfig], { TMPDIR: folder })
    await dev.says('All are Ready')
  })
  afterAll(async () => {
    await dev.end('SIGINT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it('finds no difference in the unchanged samples', async () => {
    const files = ['examples/kv-store.yaml', 'examples/kv-store-custom.yaml']
    const ended = await konverge(['diff', '-f', ...files, '--kubeconfig', kubeconfig])
    expect(ended).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  it('names the changed fields of the resource and of its children', async () => {
    const { exitCode, stdout, stderr } = await diff(store('replicas: 5'))
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    expect(stdout).toMatch(/^change ReplicatedKVStore shop\/cart\n {2}spec\.replicas: 3 → 5\n/)
    expect(stdout).toMatch(/^change StatefulSet shop\/cart\n(?: {2}.*\n)*? {2}spec\.replicas: 3 → 5$/m)
  })

  it('writes no control character for a terminal', async () => {
    const annotations = String.raw`podTemplate: { annotations: { example.com/note: "A\e[2J\u009b2J\u202e\u2028\u007fB" } }`
    const { exitCode, stdout, stderr } = await diff(store(`replicas: 3, ${annotations}`))
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    expect(stdout).toContain(String.raw`A\u001b[2J\u009b2J\u202e\u2028\u007fB`)
    expect(hasControls(stdout)).toBe(false)
  })

  it('names the objects of a new resource, in apply order', async () => {
    const { exitCode, stdout } = await diff(store('replicas: 1', 'name: new, namespace: shop'))
    expect(exitCode).toBe(1)
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      'create ReplicatedKVStore shop/new',
      'create Service shop/new',
      'create Service shop/new-headless',
      'create ServiceAccount shop/new',
      'create StatefulSet shop/new',
    ])
  })

  it('reports what it does not compare', async () => {
    const database = `apiVersion: data.konverge.dev/v1alpha1
kind: DatabaseUser
metadata: { name: orders-app, namespace: shop }
spec: { databases: [{ name: orders, access: ReadWrite }] }
`
    const { exitCode, stdout, stderr } = await diff(database, '--local-addresses')
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toMatch(/^konverge: DatabaseUser shop\/orders-app: what is outside the cluster is not compared: \S+/)
  })

  it.each([
    {
      title: 'an invalid resource',
      input: store('replicas: 0'),
      says: /-: ReplicatedKVStore shop\/cart: .*spec\.replicas/,
    },
    {
      title: 'an unknown field',
      input: store('replica: 1'),
      says: /the API server does not know spec\.replica; correct the field/,
    },
    { title: 'a resource without a name', input: store('', 'namespace: shop'), says: /has no metadata\.name/ },
    {
      title: 'a kind without a controller',
      input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n',
      says: /no controller for ConfigMap/,
    },
  ])('ends with exit code 2 and one sentence for $title', async ({ input, says }) => {
    const ended = await diff(input)
    expect(sentenceOf(ended)).toMatch(says)
    expect(ended.exitCode).toBe(2)
  })

  it('ends with exit code 2 without a cluster', async () => {
    const ended = await konverge(['diff', '-f', 'examples/kv-store.yaml'])
    expect(sentenceOf(ended)).toMatch(/kubeconfig|KUBECONFIG/)
    expect(ended.exitCode).toBe(2)
  })
})
