// Several controllers of one kind: each has its own children, finalizer, inventory and conditions.
import { ApiObject } from 'cdk8s'
import { expect, it } from 'vitest'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { StatusWithConditions } from '../../src/object/object.ts'
import { type Controller, type ControllerOptions, defineController } from '../../src/reconcile/definition.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { definitionOf, Shop, type TextSpec } from './sharing-controllers.ts'

type Options = Partial<ControllerOptions<TextSpec, StatusWithConditions, undefined>>

/** Declares `<name>-<word>` for each of the words. */
function shops(words: (text: string) => readonly string[], options: Options = {}): Controller {
  return defineController<TextSpec, StatusWithConditions>(Shop, {
    owns: [ConfigMap],
    desired: (chart, { object: { metadata, spec } }) => {
      for (const word of words(spec.text)) {
        new ApiObject(chart, word, {
          ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${metadata.name}-${word}` }, data: { word } },
        })
      }
    },
    status: () => ({ fields: {}, conditions: [] }),
    ...options,
  })
}

const wordsOf = (text: string) => text.split(' ')
const main = shops((text) => wordsOf(text).map((word) => `main-${word}`))
const audit = shops((text) => wordsOf(text).map((word) => `audit-${word}`), { name: 'audit' })
const names = async (cluster: TestCluster) =>
  (await cluster.list(ConfigMap))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt')
    .sort()
const conditionsOf = async (cluster: TestCluster) => {
  const status = (await cluster.find(Shop, 'a'))?.status as StatusWithConditions | undefined
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is}/${reason}`]))
}
const writes = (cluster: TestCluster) =>
  cluster
    .requests()
    .filter(({ verb, resource }) => ['create', 'patch', 'delete'].includes(verb) && resource !== 'events')

async function shopOf(cluster: TestCluster, text = 'one two') {
  return await cluster.create(Shop, { metadata: { name: 'a' }, spec: { text } })
}

it('two controllers of a kind reach a stable state with the children and conditions of both, also after a restart', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  const life = cluster.run(main, audit)
  await shopOf(cluster)
  await cluster.advance(60_000)
  expect(await names(cluster)).toEqual(['a-audit-one', 'a-audit-two', 'a-main-one', 'a-main-two'])
  expect(await conditionsOf(cluster)).toEqual({
    Ready: 'True/Settled',
    Progressing: 'False/Settled',
    Degraded: 'False/AsExpected',
    AuditReady: 'True/Settled',
    AuditProgressing: 'False/Settled',
    AuditDegraded: 'False/AsExpected',
  })
  expect((await cluster.find(Shop, 'a'))?.metadata.finalizers).toEqual([
    'konverge.dev/operator',
    'konverge.dev/operator_audit',
  ])
  await life.stop()
  const before = writes(cluster).length
  cluster.run(audit, main)
  await cluster.advance(1_200_000)
  expect(writes(cluster).slice(before)).toEqual([])
})

it('a controller prunes its own children and none of the other controller', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  cluster.run(main, audit)
  await shopOf(cluster)
  await cluster.settle()
  await cluster.patch(Shop, 'a', { spec: { text: 'two' } })
  await cluster.settle()
  expect(await names(cluster)).toEqual(['a-audit-two', 'a-main-two'])
  const deletes = cluster.requests().filter(({ verb }) => verb === 'delete')
  expect(deletes.map(({ name }) => name).sort()).toEqual(['a-audit-one', 'a-main-one'])
})

it('a version without one of the controllers leaves its children, and the resource can be deleted when it is back', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  const life = cluster.run(main, audit)
  await shopOf(cluster, 'one')
  await cluster.settle()
  await life.stop()
  const next = cluster.run(main)
  await cluster.advance(600_000)
  expect(await names(cluster)).toEqual(['a-audit-one', 'a-main-one'])
  await cluster.delete(Shop, 'a')
  await cluster.settle()
  expect((await cluster.find(Shop, 'a'))?.metadata.finalizers).toEqual(['konverge.dev/operator_audit'])
  await next.stop()
  cluster.run(main, audit)
  await cluster.settle()
  expect(await cluster.find(Shop, 'a')).toBeUndefined()
  expect(await names(cluster)).toEqual([])
})

it('a child with edited labels and managedFields returns to the controller that declares it', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  cluster.run(main, audit)
  await shopOf(cluster, 'one')
  await cluster.settle()
  const uid = (await cluster.find(ConfigMap, 'a-audit-one'))?.metadata.uid
  await cluster.patch(ConfigMap, 'a-audit-one', {
    metadata: { labels: { 'konverge.dev/owned-by': null, 'applyset.kubernetes.io/part-of': null } },
  })
  await cluster.settle()
  await cluster.patch(ConfigMap, 'a-main-one', {
    metadata: { labels: { 'konverge.dev/owned-by': 'shops.example.com_audit' }, annotations: { note: 'by hand' } },
  })
  await cluster.settle()
  expect(await names(cluster)).toEqual(['a-audit-one', 'a-main-one'])
  expect((await cluster.find(ConfigMap, 'a-audit-one'))?.metadata).toMatchObject({
    uid,
    labels: { 'konverge.dev/owned-by': 'shops.example.com_audit' },
  })
  expect((await cluster.find(ConfigMap, 'a-main-one'))?.metadata.labels).toMatchObject({
    'konverge.dev/owned-by': 'shops.example.com',
  })
})

it('the second of two controllers that declare one child rejects it and names the first', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  const both = (options: Options) => shops(() => ['same'], options)
  cluster.run(both({}))
  await shopOf(cluster)
  await cluster.settle()
  const uid = (await cluster.find(ConfigMap, 'a-same'))?.metadata.uid
  cluster.run(both({ name: 'audit' }))
  await cluster.advance(600_000)
  expect(await conditionsOf(cluster)).toMatchObject({ Ready: 'True/Settled', AuditReady: 'False/ConflictingOwner' })
  expect(await cluster.condition(Shop, 'a', 'AuditReady')).toMatchObject({
    message: expect.stringContaining(
      'ConfigMap default/a-same exists, made by shops.example.com for Shop default/a; give',
    ),
  })
  expect((await cluster.find(ConfigMap, 'a-same'))?.metadata).toMatchObject({
    uid,
    labels: { 'konverge.dev/owned-by': 'shops.example.com' },
  })
})

it('the status of each controller has its own conditions and fields, and a failure of one does not affect the other', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  const counted = (field: string, type: string) => ({
    status: () => ({
      fields: { [field]: 1 } as object,
      conditions: [{ type, status: 'True', reason: 'Counted', message: '' } as const],
    }),
  })
  const failing = shops(() => [], {
    name: 'backup-audit',
    ...counted('audited', 'Audited'),
    observe: () => Promise.reject(new Error('no archive')),
  })
  cluster.run(
    shops(() => [], counted('counted', 'Counted')),
    failing,
  )
  await shopOf(cluster)
  await cluster.advance(60_000)
  expect((await cluster.find(Shop, 'a'))?.status).toMatchObject({ counted: 1, audited: 1 })
  expect(await conditionsOf(cluster)).toMatchObject({
    Ready: 'True/Settled',
    Counted: 'True/Counted',
    Audited: 'True/Counted',
    BackupAuditReady: 'False/InternalError',
  })
  await cluster.patch(Shop, 'a', { metadata: { annotations: { 'konverge.dev/paused': 'true' } } })
  await cluster.settle()
  expect(await conditionsOf(cluster)).toMatchObject({ Paused: 'True/Paused', BackupAuditPaused: 'True/Paused' })
})

it.each([
  ['Audit', 'cannot be called'],
  ['a-very-long-name-of-a-part', 'cannot be called'],
])('a controller named %s is rejected', (name, message) => {
  expect(() => shops(() => [], { name })).toThrow(message)
})

it('two controllers with one name are rejected', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  expect(() =>
    cluster.run(
      main,
      shops(() => []),
    ),
  ).toThrow("two controllers are called shops.example.com; give one of them the option name, e.g. name: 'audit'")
})
