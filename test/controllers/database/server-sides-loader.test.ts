// Server of a Database at its start, chosen by the existing volumes of its names.
import { describe, expect, it } from 'vitest'
import { loadBeginning } from '../../../src/controllers/database/server-sides-loader.ts'
import type { LiveObject } from '../../../src/index.ts'
import { databaseObject, inCluster } from './databases.ts'

type Context = Parameters<typeof loadBeginning>[0]
const [first, moved] = ['data-shop-db-postgres-0', 'data-shop-db-pg18-0']

interface There {
  readonly claims?: readonly (readonly [name: string, metadata: object])[]
  readonly children?: readonly string[]
  readonly status?: object
  readonly hasPassword?: boolean
}

async function beginning({ claims = [], children = [], status = {}, hasPassword = true }: There): Promise<string> {
  const named = (kind: string, name: string, metadata: object = {}) =>
    ({
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace: 'shop', uid: '1', resourceVersion: '1', ...metadata },
    }) as LiveObject // An object of any kind.
  const found = claims.map(([name, metadata]) => named('PersistentVolumeClaim', name, metadata))
  const context = {
    object: databaseObject({ provider: inCluster, version: '18' }, { status }),
    children: children.map((name) => named('StatefulSet', name)),
    live: { find: async (_: unknown, { name }: { name: string }) => found.find((one) => one.metadata.name === name) },
  }
  // The code reads nothing else.
  const { side, refusal } = await loadBeginning(context as unknown as Context, hasPassword)
  return refusal === undefined ? side.statefulSet : `${refusal.reason}: ${refusal.message}`
}

const stays = {}
const goes = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const owned = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'shop-db-pg18', uid: '2' }] }

describe('the first server of a Database', () => {
  it.each<[string, There, string]>([
    ['a server of the first name', {}, 'shop-db-postgres'],
    ['the volume that was left under it', { claims: [[first, stays]] }, 'shop-db-postgres'],
    ['the volume of a server that an earlier one had moved to', { claims: [[moved, stays]] }, 'shop-db-pg18'],
    ['the server that it has made of that', { claims: [[moved, stays]], children: ['shop-db-pg18'] }, 'shop-db-pg18'],
    ['none that is going', { claims: [[moved, goes]] }, 'shop-db-postgres'],
    ['none that goes with its server', { claims: [[moved, owned]] }, 'shop-db-postgres'],
    [
      'what it has begun with before, whatever else is there',
      { claims: [[moved, stays]], children: ['shop-db-postgres'] },
      'shop-db-postgres',
    ],
    [
      'what its status says',
      { claims: [[moved, stays]], status: { server: { name: 'shop-db-postgres', version: '18' } } },
      'shop-db-postgres',
    ],
  ])('%s', async (_, there, expected) => {
    expect(await beginning(there)).toBe(expected)
  })

  it('is undecided when the volumes are ambiguous', async () => {
    expect(
      await beginning({
        claims: [
          [first, stays],
          [moved, stays],
        ],
      }),
    ).toMatch(
      /^VolumeInUse: the volume claims data-shop-db-postgres-0 and data-shop-db-pg18-0 are both there, .*; delete the one/,
    )
  })

  it('is undecided when the password of the volume is lost', async () => {
    expect(await beginning({ claims: [[moved, stays]], hasPassword: false })).toMatch(
      /^AdminSecretLost: .*volume claim data-shop-db-pg18-0/,
    )
  })
})
