import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ReplicatedKVStoreSpec, ReplicatedKVStoreStatus } from '../../../imports/wire/replicated-kv-store.ts'
import { readinessOf } from '../../../src/apply/readiness.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import type { KvStoreFacts } from '../../../src/controllers/replicated-kv-store/kv-store-facts.ts'
import { kvStoreStatus } from '../../../src/controllers/replicated-kv-store/kv-store-status.ts'
import type { Condition, LiveObject, Outcome, StatusContext } from '../../../src/index.ts'
import { nextStatus } from '../../../src/reconcile/status.ts'
import { schemaFaults } from '../../crds/schema-faults.ts'
import { live } from '../../objects.ts'

type Context = StatusContext<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus, KvStoreFacts>

interface Given {
  readonly wanted?: number
  /** Status of the StatefulSet; absent: no StatefulSet exists yet. */
  readonly counts?: object
  readonly generation?: number
  readonly outcome?: Outcome
  readonly facts?: Partial<KvStoreFacts> | 'none'
  /** `Available=True/QuorumServes` */
  readonly before?: readonly string[]
  /** Number of ready replicas when the status was last written. */
  readonly readyBefore?: number
}

const settled: Outcome = { kind: 'settled' }
const waiting: Outcome = { kind: 'waiting', on: 'StatefulSet shop/cart: 1 of 3 replicas are ready' }
const steady = { currentRevision: 'cart-1', updateRevision: 'cart-1', observedGeneration: 1 }
const allOf = (count: number) => ({ ...steady, replicas: count, readyReplicas: count, updatedReplicas: count })

function contextOf({
  wanted = 3,
  counts,
  generation = 1,
  outcome = waiting,
  facts = {},
  before = [],
  readyBefore,
}: Given): Context {
  const conditions = before.map((text): Condition => {
    const [type = '', status = '', reason = ''] = text.split(/[=/]/)
    // The tests write these values themselves.
    return {
      type,
      status: status as Condition['status'],
      reason,
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
  })
  const spec = { replicas: wanted, image: 'kv', port: 6379 }
  const metadata = { name: 'cart', namespace: 'shop', generation: 1 }
  const store = live({
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'ReplicatedKVStore',
    metadata,
    spec,
    status: { conditions, ...(readyBefore === undefined ? {} : { readyReplicas: readyBefore }) },
  })
  const statefulSet: LiveObject = live({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadata, generation },
    spec: { replicas: wanted },
    ...(counts === undefined ? {} : { status: counts }),
  })
  const service = live({ kind: 'Service', metadata })
  const children = [service, statefulSet].map((object) => ({ object, readiness: readinessOf(object) }))
  const known: KvStoreFacts = {
    isStorageClassMissing: false,
    admittedReplicas: wanted,
    staleClaims: [],
    hasStatefulSet: true,
    isStatefulSetUnsettled: false,
    unusedClaims: [],
    olderClaims: [],
    volumeSize: '1Gi',
    claimsToGrow: [],
    ...(facts === 'none' ? {} : facts),
  }
  // The spec has the fields that these functions read.
  const object = store as Context['object']
  return { object, children, externals: [], sagas: [], outcome, facts: facts === 'none' ? undefined : known }
}

/** Returns the whole status as the runtime would write it, and its conditions in short. */
function statusOf(given: Given) {
  const context = contextOf(given)
  const status = nextStatus({
    previous: context.object.status,
    report: kvStoreStatus(context),
    outcome: context.outcome,
    generation: 1,
    now: '2026-01-01T00:00:00Z',
  })
  const conditions = status.conditions ?? []
  const short = Object.fromEntries(conditions.map(({ type, status: state, reason }) => [type, `${state}/${reason}`]))
  const messages = Object.fromEntries(conditions.map(({ type, message }) => [type, message]))
  return { status, short, messages }
}

const crash = { reason: 'CrashLooping', message: 'pod cart-1 crashes again and again' } as const
const pull = { reason: 'ImagePullFailed', message: 'pod cart-0 cannot get image kv' } as const

const heldAt3 = { admittedReplicas: 3, staleClaims: ['data-cart-3', 'data-cart-4'] }

interface Case {
  readonly title: string
  readonly given: Given
  readonly short: Readonly<Record<string, string>>
  readonly messages?: Readonly<Record<string, string>>
}

const cases: readonly Case[] = [
  {
    title: 'that is fresh comes up, and is neither available nor degraded',
    given: {},
    short: {
      Ready: 'False/WaitingForReplicas',
      Progressing: 'True/ScalingOut',
      Degraded: 'False/AsExpected',
      Available: 'False/NoQuorum',
    },
    messages: { Ready: '0 of 3 replicas are ready', Progressing: 'to 3 replicas' },
  },
  {
    title: 'that comes up serves from its quorum on',
    given: { counts: { ...allOf(2), replicas: 3 } },
    short: { Ready: 'False/WaitingForReplicas', Degraded: 'False/AsExpected', Available: 'True/QuorumServes' },
    messages: { Ready: '2 of 3 replicas are ready', Available: '2 of 3 replicas serve' },
  },
  {
    title: 'that is settled',
    given: { counts: allOf(3), outcome: settled },
    short: {
      Ready: 'True/AllReplicasReady',
      Progressing: 'False/AllReplicasReady',
      Degraded: 'False/AsExpected',
      Available: 'True/QuorumServes',
    },
    messages: { Ready: '3 of 3 replicas are ready' },
  },
  {
    title: 'that scales out',
    given: { wanted: 5, counts: allOf(3), before: ['Available=True/QuorumServes'] },
    short: { Progressing: 'True/ScalingOut', Degraded: 'False/AsExpected', Available: 'True/QuorumServes' },
    messages: { Progressing: 'to 5 replicas' },
  },
  {
    title: 'that grows from one stays available: replicas that were never there are not missed',
    given: { counts: { ...allOf(1), replicas: 2 }, before: ['Available=True/QuorumServes'], readyBefore: 1 },
    short: { Progressing: 'True/ScalingOut', Degraded: 'False/AsExpected', Available: 'True/QuorumServes' },
  },
  {
    title: 'that loses its only replica while it grows is degraded',
    given: {
      counts: { ...allOf(2), readyReplicas: 0 },
      before: ['Available=True/QuorumServes'],
      readyBefore: 1,
    },
    short: { Degraded: 'True/QuorumAtRisk', Available: 'False/QuorumLost' },
  },
  {
    title: 'that scales in',
    given: { counts: allOf(5) },
    short: { Progressing: 'True/ScalingIn', Available: 'True/QuorumServes' },
    messages: { Progressing: 'to 3 replicas' },
  },
  {
    title: 'that scales in before the StatefulSet controller has noticed',
    given: { counts: allOf(5), generation: 2 },
    short: { Progressing: 'True/ScalingIn' },
    messages: { Progressing: 'to 3 replicas' },
  },
  {
    title: 'that rolls out',
    given: { counts: { ...allOf(3), updateRevision: 'cart-2', updatedReplicas: 1, readyReplicas: 2 } },
    short: { Ready: 'False/WaitingForReplicas', Progressing: 'True/RollingOut', Available: 'True/QuorumServes' },
    messages: { Progressing: '1 of 3 replicas are updated' },
  },
  {
    title: 'that rolls out before the StatefulSet controller has noticed',
    given: { counts: allOf(3), generation: 2 },
    short: { Progressing: 'True/RollingOut' },
  },
  {
    title: 'with a replica that is not ready, and nothing else to do, only waits',
    given: { counts: { ...allOf(3), readyReplicas: 2 } },
    short: { Ready: 'False/WaitingForReplicas', Progressing: 'True/WaitingForReplicas' },
    messages: { Progressing: '2 of 3 replicas are ready' },
  },
  {
    title: 'that had a quorum and lost it is degraded',
    given: { counts: { ...allOf(3), readyReplicas: 1 }, before: ['Available=True/QuorumServes'] },
    short: { Ready: 'False/WaitingForReplicas', Degraded: 'True/QuorumAtRisk', Available: 'False/QuorumLost' },
    messages: { Degraded: '1 of 3 replicas are ready; 2 are needed for a quorum' },
  },
  {
    title: 'stays degraded until the quorum is back',
    given: {
      counts: { ...allOf(3), readyReplicas: 1 },
      before: ['Degraded=True/QuorumAtRisk', 'Available=False/QuorumLost'],
    },
    short: { Degraded: 'True/QuorumAtRisk', Available: 'False/QuorumLost' },
  },
  {
    title: 'stays degraded after a turn that failed for another reason',
    given: {
      counts: { ...allOf(3), readyReplicas: 1 },
      before: ['Degraded=True/ServerError', 'Available=False/QuorumLost'],
    },
    short: { Degraded: 'True/QuorumAtRisk', Available: 'False/QuorumLost' },
  },
  {
    title: 'whose turn fails remembers that it had a quorum',
    given: {
      counts: { ...allOf(3), readyReplicas: 1 },
      outcome: { kind: 'retry', reason: 'ServerError', message: 'etcd is slow' },
      before: ['Degraded=True/QuorumAtRisk', 'Available=False/QuorumLost'],
    },
    short: { Degraded: 'True/ServerError', Available: 'False/QuorumLost' },
  },
  {
    title: 'is no longer degraded when the quorum is back',
    given: { counts: { ...allOf(3), readyReplicas: 2 }, before: ['Available=False/QuorumLost'] },
    short: { Degraded: 'False/AsExpected', Available: 'True/QuorumServes' },
  },
  {
    title: 'that was degraded for another reason and never served is not at risk',
    given: { counts: { ...allOf(3), readyReplicas: 1 }, before: ['Degraded=True/ServerError'] },
    short: { Degraded: 'False/AsExpected' },
  },
  {
    title: 'whose replica crashes is degraded, and waits for it',
    given: { counts: { ...allOf(3), readyReplicas: 2 }, facts: { trouble: crash } },
    short: { Ready: 'False/WaitingForReplicas', Degraded: 'True/ReplicaCrashLooping', Available: 'True/QuorumServes' },
    messages: { Ready: '2 of 3 replicas are ready', Degraded: crash.message },
  },
  {
    title: 'whose image is missing says so in Ready',
    given: { facts: { trouble: pull } },
    short: { Ready: 'False/ImagePullFailed', Degraded: 'False/AsExpected' },
    messages: { Ready: `0 of 3 replicas are ready; ${pull.message}` },
  },
  {
    title: 'whose pod waits for its volume says so in Ready',
    given: { facts: { trouble: { reason: 'VolumePending', message: 'pod cart-0 waits' } } },
    short: { Ready: 'False/VolumePending' },
  },
  {
    title: 'whose pod finds no node says so in Ready',
    given: { facts: { trouble: { reason: 'Unschedulable', message: 'pod cart-0 waits' } } },
    short: { Ready: 'False/Unschedulable' },
  },
  {
    title: 'whose scale-out is held says at which replicas, and what to do',
    given: { wanted: 5, counts: allOf(3), outcome: settled, facts: heldAt3 },
    short: {
      Ready: 'False/WaitingForReplicas',
      Progressing: 'False/StaleVolumesRetained',
      Degraded: 'True/StaleVolumesRetained',
      Stalled: 'True/StaleVolumesRetained',
      Available: 'True/QuorumServes',
    },
    messages: {
      Ready: '3 of 5 replicas are ready',
      Degraded:
        'the scale-out to 5 replicas is held at 3: replicas that were taken away left volume claims with older data: ' +
        'data-cart-3, data-cart-4; delete them, or set spec.storage.reuseRetained to Allow to begin with that data',
    },
  },
  {
    title: 'whose scale-out is held has its quorum with the replicas that it may have',
    given: {
      wanted: 5,
      counts: allOf(1),
      outcome: settled,
      facts: { admittedReplicas: 1, staleClaims: ['data-cart-1'] },
      before: ['Available=False/QuorumLost'],
    },
    short: { Degraded: 'True/StaleVolumesRetained', Available: 'True/QuorumServes' },
  },
  {
    title: 'whose scale-out is held goes on with what else there is to do',
    given: {
      wanted: 5,
      counts: { ...allOf(3), updateRevision: 'cart-2', updatedReplicas: 1, readyReplicas: 2 },
      facts: heldAt3,
    },
    short: { Progressing: 'True/RollingOut', Degraded: 'True/StaleVolumesRetained' },
  },
  {
    title: 'whose volumes grow serves meanwhile, and is not ready',
    given: {
      counts: allOf(3),
      outcome: settled,
      facts: { expansion: { size: '2Gi', smaller: ['data-cart-1'], fileSystemPending: [] } },
    },
    short: {
      Ready: 'False/VolumePending',
      Progressing: 'True/VolumeExpanding',
      Degraded: 'False/AsExpected',
      Available: 'True/QuorumServes',
    },
    messages: {
      Ready: '3 of 3 replicas are ready; volumes grow to 2Gi: waiting for data-cart-1',
      Progressing: 'volumes grow to 2Gi: waiting for data-cart-1',
    },
  },
  {
    title: 'whose StatefulSet is made anew serves with the pods that are there',
    given: {
      before: ['Available=True/QuorumServes'],
      facts: {
        expansion: { size: '2Gi', smaller: [], fileSystemPending: [] },
        pods: { replicas: 3, readyReplicas: 3 },
      },
    },
    short: { Progressing: 'True/VolumeExpanding', Degraded: 'False/AsExpected', Available: 'True/QuorumServes' },
    messages: { Progressing: 'volumes have 2Gi; the StatefulSet is made anew around its pods' },
  },
  {
    title: 'serves with the pods that are there while the new StatefulSet has not taken all of them',
    given: {
      counts: allOf(1),
      before: ['Available=True/QuorumServes'],
      readyBefore: 3,
      facts: { pods: { replicas: 3, readyReplicas: 3 } },
    },
    short: { Available: 'True/QuorumServes', Degraded: 'False/AsExpected' },
  },
  {
    title: 'counts what its StatefulSet counts as soon as it counts all, whatever its pods looked like before',
    given: {
      counts: { ...allOf(3), readyReplicas: 1 },
      before: ['Available=True/QuorumServes'],
      readyBefore: 3,
      facts: { pods: { replicas: 3, readyReplicas: 3 } },
    },
    short: { Available: 'False/QuorumLost' },
  },
  {
    title: 'whose volumes cannot grow says why, and waits for a person',
    given: { counts: allOf(3), outcome: settled, facts: { growthRefusal: 'volumes cannot grow to 2Gi' } },
    short: {
      Ready: 'False/VolumePending',
      Progressing: 'False/VolumeExpansionRefused',
      Degraded: 'True/VolumeExpansionRefused',
      Stalled: 'True/VolumeExpansionRefused',
      Available: 'True/QuorumServes',
    },
    messages: { Degraded: 'volumes cannot grow to 2Gi' },
  },
  {
    title: 'that began with the volumes of an earlier store says so as long as it lives',
    given: { counts: allOf(3), outcome: settled, facts: { olderClaims: ['data-cart-0', 'data-cart-1'] } },
    short: { Ready: 'True/AllReplicasReady', Degraded: 'False/AsExpected', VolumesReused: 'True/OlderThanStore' },
    messages: {
      VolumesReused: 'the store began with the data of volume claims older than itself: data-cart-0, data-cart-1',
    },
  },
  {
    title: 'that is refused says what the runtime says, and whether it serves',
    given: {
      counts: allOf(3),
      outcome: { kind: 'stopped', reason: 'InvalidSpec', message: "StorageClass 'x' not found" },
    },
    short: {
      Ready: 'False/InvalidSpec',
      Progressing: 'False/Stalled',
      Degraded: 'True/InvalidSpec',
      Stalled: 'True/InvalidSpec',
      Available: 'True/QuorumServes',
    },
  },
  {
    title: 'whose turn failed before anything was known',
    given: { facts: 'none', outcome: { kind: 'retry', reason: 'ServerError', message: 'etcd is slow' } },
    short: { Ready: 'False/ServerError', Degraded: 'True/ServerError', Available: 'False/NoQuorum' },
  },
  {
    title: 'that is deleted says so, and that it does not serve any more',
    given: { counts: { ...allOf(3), readyReplicas: 0 }, outcome: { kind: 'deleting', on: 'waiting for pods' } },
    short: { Ready: 'False/Deleting', Progressing: 'True/Deleting', Available: 'False/NoQuorum' },
  },
  {
    title: 'of one replica has its quorum with it',
    given: { wanted: 1, counts: allOf(1), outcome: settled },
    short: { Ready: 'True/AllReplicasReady', Available: 'True/QuorumServes' },
  },
]

describe('a store', () => {
  it.each(cases)('$title', ({ given, short, messages = {} }) => {
    const told = statusOf(given)
    expect(told.short).toMatchObject(short)
    expect(told.messages).toMatchObject(messages)
  })

  it('has the counts of its StatefulSet, and no others', () => {
    expect(statusOf({ counts: { ...allOf(3), availableReplicas: 2, collisionCount: 1 } }).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
      currentRevision: 'cart-1',
      updateRevision: 'cart-1',
    })
    const fresh = statusOf({}).status
    expect(fresh).toMatchObject({ replicas: 0, readyReplicas: 0, updatedReplicas: 0 })
    expect(fresh).not.toHaveProperty('currentRevision')
    expect(fresh).not.toHaveProperty('isCurrent')
  })

  it('lists the address of each desired replica, whether it exists or not', () => {
    expect(statusOf({ wanted: 2 }).status).toMatchObject({
      selector: 'data.konverge.dev/replicatedkvstore=cart',
      endpoints: ['cart-0.cart-headless.shop.svc:6379', 'cart-1.cart-headless.shop.svc:6379'],
    })
  })

  it.each([
    { title: 'a hold', facts: heldAt3, reason: 'StaleVolumesRetained', before: 'Degraded=True/StaleVolumesRetained' },
    {
      title: 'volumes from before',
      facts: { olderClaims: ['data-cart-0'] },
      reason: 'VolumesReused',
      before: 'VolumesReused=True/OlderThanStore',
    },
  ])('reports $title in one Event', ({ facts, reason, before }) => {
    const told = (given: Given) => kvStoreStatus(contextOf({ ...given, facts })).events?.map((event) => event.reason)
    expect(told({ before: ['Degraded=False/AsExpected'] })).toEqual([reason])
    expect(told({ before: [before] })).toEqual([])
  })

  it('does not report a hold while a more severe problem exists', () => {
    const facts = { ...heldAt3, trouble: crash }
    expect(kvStoreStatus(contextOf({ facts })).events).toEqual([])
  })

  it('lists retained claims while any exist, and then removes the list', () => {
    const some = statusOf({ facts: { unusedClaims: ['data-cart-3'] } }).status
    expect(some).toMatchObject({ retainedPVCs: ['data-cart-3'] })
    expect(statusOf({}).status).not.toHaveProperty('retainedPVCs')
  })
})

// WaitingForReplicas: no change, pods become ready. AllReplicasReady: nothing is in progress.
const progress = [
  'StaleVolumesRetained',
  'VolumeExpansionRefused',
  'RollingOut',
  'ScalingOut',
  'ScalingIn',
  'VolumeExpanding',
  'WaitingForReplicas',
  'AllReplicasReady',
]

/** Documented reasons of the kind. All others are the runtime’s, or stand here with their meaning. */
const contract: Readonly<Record<string, readonly string[]>> = {
  Ready: ['AllReplicasReady', 'WaitingForReplicas', 'ImagePullFailed', 'Unschedulable', 'VolumePending'],
  Progressing: progress,
  // The name of Progressing in kstatus.
  Reconciling: progress,
  // AsExpected is the runtime's reason when nothing is degraded.
  Degraded: ['QuorumAtRisk', 'ReplicaCrashLooping', 'StaleVolumesRetained', 'VolumeExpansionRefused', 'AsExpected'],
  Stalled: ['StaleVolumesRetained', 'VolumeExpansionRefused'],
  VolumesReused: ['OlderThanStore'],
  // Available is not in the documented list; it reports whether a majority of the replicas is ready. QuorumLost: a
  // majority was ready before.
  Available: ['QuorumServes', 'NoQuorum', 'QuorumLost'],
}

describe('every status', () => {
  const definition: JsonObject = parse(readFileSync('crds/replicated-kv-store.yaml', 'utf8'))

  it.each(cases)('for a store $title fits the schema of the CRD', ({ given }) => {
    const metadata = { name: 'cart', namespace: 'shop' }
    const object = {
      apiVersion: 'data.konverge.dev/v1alpha1',
      kind: 'ReplicatedKVStore',
      metadata,
      spec: { image: 'kv' },
    }
    // A status is JSON; its type has no index.
    const status = statusOf(given).status as unknown as JsonObject
    expect(schemaFaults(definition, { ...object, status })).toEqual([])
  })

  it.each(cases)('for a store $title has documented reasons while nothing failed', ({ given }) => {
    const { outcome = waiting } = given
    if (outcome.kind !== 'settled' && outcome.kind !== 'waiting') return
    for (const { type, reason } of statusOf(given).status.conditions ?? [])
      expect(contract[type], type).toContain(reason)
  })

  it('with another form does not fit the schema', () => {
    const metadata = { name: 'cart', namespace: 'shop' }
    const object = {
      apiVersion: 'data.konverge.dev/v1alpha1',
      kind: 'ReplicatedKVStore',
      metadata,
      spec: { image: 'kv' },
    }
    expect(schemaFaults(definition, { ...object, status: { replicas: 'three' } })).not.toEqual([])
    expect(schemaFaults(definition, { ...object, status: { phase: 'Ready' } })).toEqual([
      'unknown field "status.phase"',
    ])
  })
})
