// Errors of the operator's client, on the embedded API server.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DiscreetClient } from '../../src/kube/discreet-client.ts'
import { isKubeError } from '../../src/kube/kube-errors.ts'
import { Secret } from '../../src/object/built-in.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { doorDefinition } from './rejected-requests.ts'

const Door = defineResource({
  group: 'rejected.example.com',
  version: 'v1',
  kind: 'Door',
  plural: 'doors',
  scope: 'Namespaced',
})
const signal = new AbortController().signal
const options = { fieldManager: 'test' }
const host = 'bad-pR1vate$Text'
const doorOf = (spec: object): KubeObject => ({
  apiVersion: 'rejected.example.com/v1',
  kind: 'Door',
  metadata: { name: 'front', namespace: 'default' },
  ...{ spec },
})

let cluster: TestCluster
let client: DiscreetClient

beforeEach(async () => {
  cluster = await startCluster({ definitions: [doorDefinition] })
  client = new DiscreetClient(cluster.client)
})

afterEach(() => cluster.stop())

async function saidOf(request: Promise<unknown>): Promise<readonly string[]> {
  const thrown = await request.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!isKubeError(thrown)) throw new Error('the request was not rejected')
  return [thrown.message, ...thrown.causes.map(({ message }) => message)]
}

it('keeps the message of a rule', async () => {
  const said = await saidOf(client.create(Door, doorOf({ replicas: 9 }), options, signal))
  expect(said).toEqual([expect.stringContaining('at most five replicas'), 'Invalid value: at most five replicas'])
})

it.each([
  ['a create', () => client.create(Door, doorOf({ host }), options, signal)],
  ['an apply', () => client.apply(Door, doorOf({ host }), { ...options, force: true }, signal)],
  ['a merge patch', () => patched({ type: 'merge', body: { spec: { host } } })],
  ['a JSON patch', () => patched({ type: 'json', body: [{ op: 'add', path: '/spec/host', value: host }] })],
])('keeps the message of a rule without the value of %s', async (_, request) => {
  const said = await saidOf(request())
  expect(said).toEqual([
    expect.stringContaining('spec: Invalid value: the host [redacted] is bad'),
    'Invalid value: the host [redacted] is bad',
  ])
})

async function patched(patch: Parameters<DiscreetClient['patch']>[2]) {
  await client.create(Door, doorOf({}), options, signal)
  return await client.patch(Door, doorOf({}).metadata, patch, options, signal)
}

it('names the field manager of a conflict over a Secret in the message', async () => {
  const secretOf = (text: string): KubeObject => {
    const labels = { 'konverge.dev/managed-by': 'shop', 'konverge.dev/owned-by': 'websites' }
    const metadata = { name: 'token', namespace: 'default', labels }
    return { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data: { token: Buffer.from(text).toString('base64') } } }
  }
  await cluster.client.apply(
    Secret,
    secretOf('first of the values'),
    { fieldManager: 'shop/websites', force: true },
    signal,
  )
  const said = await saidOf(client.apply(Secret, secretOf('another of them'), { ...options, force: false }, signal))
  expect(said[1]).toContain('conflict with "shop/websites"')
})

it('returns the field manager of a conflict to code if the message redacts it', async () => {
  // A tenant may choose a value that redacts the name.
  const manager = 'shop/websites+owner-1'
  await cluster.client.apply(Door, doorOf({ host: 'front' }), { fieldManager: manager, force: true }, signal)
  const thrown = await client
    .apply(Door, doorOf({ host: manager }), { ...options, force: false }, signal)
    .catch((error: unknown) => error)
  if (!isKubeError(thrown, 'Conflict')) throw new Error('the request met no conflict')
  expect(thrown.causes).toMatchObject([{ manager, message: expect.stringContaining('conflict with "[redacted]"') }])
})
