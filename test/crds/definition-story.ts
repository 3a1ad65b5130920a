// Story of the CRD of ReplicatedKVStore: an API server accepts it, rejects values that would break the store, and
// returns the construct's manifests unchanged. It runs on every server.
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { StartStoryServer } from '../e2e/story-server.ts'
import { askerOfSuite } from './asking.ts'
import { describeManifests } from './manifest-story.ts'
import { writerOf } from './rule-table.ts'

const stores = '/apis/data.konverge.dev/v1alpha1/namespaces/default/replicatedkvstores'
const plain = { image: 'valkey/valkey:8.0' }

const readYaml = async (path: string) => parse(await readFile(path, 'utf8'))
const store = writerOf('ReplicatedKVStore')

/** `start` returns a server with the CRD. */
export function describeDefinition(start: StartStoryServer): void {
  const ask = askerOfSuite(start)

  describe('the CRD of ReplicatedKVStore', () => {
    it('is structural, and no rule exceeds the cost budget', async () => {
      const { object } = await ask(
        'GET',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/replicatedkvstores.data.konverge.dev',
      )
      const statuses = object.status.conditions.map(
        ({ type, status }: { type: string; status: string }) => `${type}=${status}`,
      )
      expect(statuses).toEqual(expect.arrayContaining(['NamesAccepted=True', 'Established=True']))
      expect(statuses.join()).not.toContain('NonStructuralSchema=True')
    })

    it('accepts the samples, and drops none of their fields', async () => {
      for (const path of ['examples/kv-store.yaml', 'examples/kv-store-custom.yaml']) {
        const sample = await readYaml(path)
        const strict = `${stores.replace('default', 'shop')}?dryRun=All&fieldValidation=Strict`
        const { status, object, message } = await ask('POST', strict, sample)
        expect(message).toBe('')
        expect(status).toBe(201)
        expect(object.spec).toMatchObject(sample.spec)
      }
    })

    it('sets the defaults', async () => {
      const { object } = await ask('POST', `${stores}?dryRun=All`, store('plain', plain))
      expect(object.spec).toEqual({
        ...plain,
        replicas: 1,
        port: 6379,
        storage: { size: '1Gi', reuseRetained: 'Refuse' },
        pvcRetention: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        pdb: { enabled: true },
      })
    })

    it.each<[string, object]>([
      ['one character', store('a', plain)],
      ['52 characters', store('a'.repeat(52), plain)],
    ])('accepts a name of %s', async (_name, object) => {
      expect((await ask('POST', `${stores}?dryRun=All`, object)).status).toBe(201)
    })

    it.each<[string, string, object, string, RegExp]>([
      ['a name that pods cannot carry', 'a'.repeat(53), {}, 'metadata.name', /at most 52/],
      ['a name that Services cannot take', '1cart', {}, 'metadata.name', /must start with a letter/],
      ['a name with a dot', 'my.cart', {}, 'metadata.name', /no dots/],
      ['no replica', 'cart', { replicas: 0 }, 'spec.replicas', /greater than or equal to 1/],
      ['no image', 'cart', { image: '' }, 'spec.image', /at least 1 char/],
      ['a port beyond the last', 'cart', { port: 65536 }, 'spec.port', /65535/],
      [
        'a partition beyond the replicas',
        'cart',
        { updateStrategy: { partition: 2 } },
        'spec.updateStrategy.partition',
        /not be greater than replicas/,
      ],
      [
        'a size that is no quantity',
        'cart',
        { storage: { size: 'big' } },
        'spec.storage.size',
        /a quantity greater than zero/,
      ],
      ['a size of nothing', 'cart', { storage: { size: '0' } }, 'spec.storage.size', /a quantity greater than zero/],
      [
        'an unknown word about old volumes',
        'cart',
        { storage: { reuseRetained: 'Maybe' } },
        'spec.storage.reuseRetained',
        /Unsupported value/,
      ],
      [
        'a variable of the operator',
        'cart',
        { env: [{ name: 'KV_PEERS' }] },
        'spec.env[0].name',
        /set by the operator/,
      ],
      ['a variable twice', 'cart', { env: [{ name: 'A' }, { name: 'A' }] }, 'spec.env[1]', /Duplicate/],
      [
        'a variable with two values',
        'cart',
        { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
        'spec.env[0]',
        /only one of value and valueFrom/,
      ],
      [
        'a variable from nowhere',
        'cart',
        { env: [{ name: 'A', valueFrom: {} }] },
        'spec.env[0].valueFrom',
        /exactly one/,
      ],
      [
        'a probe of two kinds',
        'cart',
        { probes: { liveness: { tcpSocket: {}, httpGet: {} } } },
        'spec.probes.liveness',
        /at most one/,
      ],
      [
        'an annotation of the operator',
        'cart',
        { podTemplate: { annotations: { 'data.konverge.dev/worker': 'x' } } },
        'spec.podTemplate.annotations',
        /are reserved/,
      ],
      [
        'an update that takes none down',
        'cart',
        { updateStrategy: { maxUnavailable: '0%' } },
        'spec.updateStrategy.maxUnavailable',
        /should match/,
      ],
      [
        'a limit that is no quantity',
        'cart',
        { resources: { limits: { cpu: 'many' } } },
        'spec.resources.limits.cpu',
        /should match/,
      ],
    ])('rejects %s, and names the field', async (_name, name, spec, field, message) => {
      const answer = await ask('POST', `${stores}?dryRun=All`, store(name, { ...plain, ...spec }))
      expect(answer.status).toBe(422)
      expect(answer.fields).toContain(field)
      expect(answer.message).toMatch(message)
    })

    describe('for an existing store', () => {
      beforeAll(async () => {
        const classless = await ask('POST', stores, store('classless', { ...plain, storage: { size: '10Gi' } }))
        const classy = await ask('POST', stores, store('classy', { ...plain, storageClassName: 'fast' }))
        expect([classless.status, classy.status]).toEqual([201, 201])
      })

      it.each<[string, string, object, string, RegExp]>([
        ['a smaller size', 'classless', { storage: { size: '9.9Gi' } }, 'spec.storage.size', /cannot decrease/],
        [
          'a class where there was none',
          'classless',
          { storageClassName: 'fast' },
          'spec.storageClassName',
          /immutable/,
        ],
        ['another class', 'classy', { storageClassName: 'slow' }, 'spec.storageClassName', /immutable/],
        ['no class where there was one', 'classy', { storageClassName: null }, 'spec.storageClassName', /immutable/],
      ])('rejects %s', async (_name, name, spec, field, message) => {
        const answer = await ask('PATCH', `${stores}/${name}?dryRun=All`, { spec })
        expect(answer.status).toBe(422)
        expect(answer.fields).toEqual([field])
        expect(answer.message).toMatch(message)
      })

      it.each<[string, string, object]>([
        ['a greater size', 'classless', { storage: { size: '11Gi' } }],
        ['the same size in other words', 'classless', { storage: { size: '10240Mi' } }],
        ['the same class', 'classy', { storageClassName: 'fast', port: 7000 }],
      ])('accepts %s', async (_name, name, spec) => {
        expect((await ask('PATCH', `${stores}/${name}?dryRun=All`, { spec })).status).toBe(200)
      })

      it('has the scale subresource, which shows the selector', async () => {
        const selector = 'data.konverge.dev/replicatedkvstore=classy'
        await ask('PATCH', `${stores}/classy/status`, { status: { replicas: 1, selector } })
        const { status, object } = await ask('PATCH', `${stores}/classy/scale`, { spec: { replicas: 3 } })
        expect(status).toBe(200)
        expect(object).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 1, selector } })
      })

      it('changes the status by its subresource only', async () => {
        const { object } = await ask('PATCH', `${stores}/classless`, { status: { readyReplicas: 9 } })
        expect(object.status).toBeUndefined()
      })

      it('has the columns that users need first', async () => {
        const condition = {
          type: 'Ready',
          status: 'False',
          reason: 'WaitingForReplicas',
          message: 'm',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        }
        await ask('PATCH', `${stores}/classless/status`, {
          status: { readyReplicas: 0, updatedReplicas: 1, conditions: [condition] },
        })
        const { object } = await ask('GET', stores, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io')
        const names = object.columnDefinitions.map(({ name }: { name: string }) => name)
        expect(names.join(' ')).toBe('Name Desired Ready Updated Reason Image Age')
        const row = object.rows
          .map(({ cells }: { cells: unknown[] }) => cells)
          .find(([name]: unknown[]) => name === 'classless')
        expect(row.slice(0, -1)).toEqual(['classless', 1, 0, 1, 'WaitingForReplicas', 'valkey/valkey:8.0'])
        expect(row.at(-1)).toMatch(/^\d+s$/)
      })
    })
  })

  describeManifests('KvCluster', ['kv-store', 'kv-store-custom'], ask)
}
