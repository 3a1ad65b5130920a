import { describe, expect, it } from 'vitest'
import {
  expansionNote,
  growthDigest,
  growthOf,
  type VolumeGrowth,
} from '../../../src/controllers/stateful-set/volume-growth.ts'
import type { LiveObject } from '../../../src/index.ts'
import { live } from '../../objects.ts'

interface GivenClaim {
  readonly asks?: string
  readonly has?: string | undefined
  readonly className?: string | undefined
  readonly isFileSystemPending?: boolean
}

function claim(ordinal: number, { asks = '1Gi', has = asks, className = 'fast', ...rest }: GivenClaim = {}) {
  const bound = { phase: 'Bound', capacity: { storage: has } }
  const conditions = rest.isFileSystemPending === true ? [{ type: 'FileSystemResizePending', status: 'True' }] : []
  return live({
    kind: 'PersistentVolumeClaim',
    metadata: { name: `data-cart-${ordinal}` },
    spec: { ...(className === '' ? {} : { storageClassName: className }), resources: { requests: { storage: asks } } },
    status: has === 'none' ? { phase: 'Pending' } : { ...bound, conditions },
  })
}

const statefulSet = (size: string) =>
  live({
    kind: 'StatefulSet',
    metadata: { name: 'cart' },
    spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: size } } } }] },
  })
const storageClass = (name: string, allowVolumeExpansion?: boolean): [string, LiveObject] => [
  name,
  live({ kind: 'StorageClass', metadata: { name }, allowVolumeExpansion }),
]
const storageClasses = new Map([storageClass('fast', true), storageClass('standard', false), storageClass('plain')])
const refused = (why: string) =>
  `volumes cannot grow to 2Gi and none is touched: claim data-cart-0 cannot be expanded, because ${why}; ` +
  'set allowVolumeExpansion on the class if its driver can expand volumes, or copy the data to a new store'

interface Case {
  readonly title: string
  readonly claims: readonly LiveObject[]
  /** Size in the StatefulSet's template; undefined: no StatefulSet exists. */
  readonly template?: string | undefined
  readonly growth: VolumeGrowth
}

const cases: readonly Case[] = [
  {
    title: 'has nothing to do where all is as wanted, however it is written',
    claims: [claim(0, { asks: '2048Mi' }), claim(1, { asks: '2Gi' })],
    template: '2Gi',
    growth: { volumeSize: '2Gi', claimsToGrow: [] },
  },
  {
    title: 'has nothing to do where volumes are larger',
    claims: [claim(0, { asks: '3Gi' })],
    template: '2Gi',
    growth: { volumeSize: '2Gi', claimsToGrow: [] },
  },
  { title: 'has nothing to do for a new store', claims: [], growth: { volumeSize: '2Gi', claimsToGrow: [] } },
  {
    title: 'asks for more for every claim, and for those to come',
    claims: [claim(0), claim(1)],
    template: '1Gi',
    growth: {
      volumeSize: '2Gi',
      claimsToGrow: ['data-cart-0', 'data-cart-1'],
      expansion: { size: '2Gi', smaller: ['data-cart-0', 'data-cart-1'], fileSystemPending: [] },
    },
  },
  {
    title: 'goes on after a crash between two claims',
    claims: [claim(0, { asks: '2Gi', has: '1Gi' }), claim(1)],
    template: '1Gi',
    growth: {
      volumeSize: '2Gi',
      claimsToGrow: ['data-cart-1'],
      expansion: { size: '2Gi', smaller: ['data-cart-0', 'data-cart-1'], fileSystemPending: [] },
    },
  },
  {
    title: 'goes on where only the template is left',
    claims: [claim(0, { asks: '2Gi' })],
    template: '1Gi',
    growth: {
      volumeSize: '2Gi',
      claimsToGrow: [],
      expansion: { size: '2Gi', smaller: [], fileSystemPending: [] },
    },
  },
  {
    title: 'goes on while the StatefulSet is gone',
    claims: [claim(0, { asks: '2Gi', has: '1Gi' })],
    growth: {
      volumeSize: '2Gi',
      claimsToGrow: [],
      expansion: { size: '2Gi', smaller: ['data-cart-0'], fileSystemPending: [] },
    },
  },
  {
    title: 'takes along a claim of the old size that a scale-out made meanwhile',
    claims: [claim(0, { asks: '2Gi' }), claim(1)],
    template: '2Gi',
    growth: {
      volumeSize: '2Gi',
      claimsToGrow: ['data-cart-1'],
      expansion: { size: '2Gi', smaller: ['data-cart-1'], fileSystemPending: [] },
    },
  },
  {
    title: 'lets a claim bind first',
    claims: [claim(0, { has: 'none' })],
    template: '2Gi',
    growth: {
      volumeSize: '2Gi',
      claimsToGrow: [],
      expansion: { size: '2Gi', smaller: ['data-cart-0'], fileSystemPending: [] },
    },
  },
  {
    title: 'does not wait for a claim that asks for enough and is not bound',
    claims: [claim(0, { asks: '2Gi', has: 'none' })],
    template: '2Gi',
    growth: { volumeSize: '2Gi', claimsToGrow: [] },
  },
  {
    title: 'tells of file systems that wait for their pod',
    claims: [claim(0, { asks: '2Gi', has: '1Gi', isFileSystemPending: true })],
    template: '2Gi',
    growth: {
      volumeSize: '2Gi',
      claimsToGrow: [],
      expansion: { size: '2Gi', smaller: ['data-cart-0'], fileSystemPending: ['data-cart-0'] },
    },
  },
  ...[
    { title: 'forbids it', className: 'standard', why: "its StorageClass 'standard' does not allow it" },
    { title: 'does not say', className: 'plain', why: "its StorageClass 'plain' does not allow it" },
    { title: 'is gone', className: 'gone', why: "its StorageClass 'gone' does not allow it" },
    { title: 'is missing, the volume being made by hand,', className: '', why: 'it has no StorageClass' },
  ].map(({ title, className, why }) => ({
    title: `touches nothing where one class ${title}`,
    claims: [claim(0, { className }), claim(1)],
    template: '1Gi',
    growth: { volumeSize: '1Gi', claimsToGrow: [], growthRefusal: refused(why) },
  })),
]

describe('a resource with desired volumes of 2Gi', () => {
  it.each(cases)('$title', ({ claims, template, growth }) => {
    const set = template === undefined ? undefined : statefulSet(template)
    expect(growthOf({ size: '2Gi', claims, storageClasses, statefulSet: set, successor: 'a new store' })).toEqual(
      growth,
    )
  })

  it('reports the file systems that it waits for', () => {
    const waiting = { size: '2Gi', smaller: ['a-0', 'a-1'], fileSystemPending: ['a-1'] }
    expect(expansionNote(waiting)).toBe(
      'volumes grow to 2Gi: waiting for a-0, a-1; the file system of a-1 grows when its pod mounts it again, which may need a restart',
    )
  })
})

describe('the resize state of a claim', () => {
  it('is the same for an unbound claim and for one of the requested size', () => {
    expect(growthDigest(claim(0, { has: 'none' }))).toEqual(growthDigest(claim(0)))
  })

  it('changes when the resize begins, when the file system must grow, and at the end', () => {
    const steps = [
      claim(0),
      claim(0, { asks: '2Gi', has: '1Gi' }),
      claim(0, { asks: '2Gi', has: '1Gi', isFileSystemPending: true }),
      claim(0, { asks: '2Gi' }),
    ].map((step) => JSON.stringify(growthDigest(step)))
    for (const [index, step] of steps.slice(1).entries()) expect(step).not.toBe(steps[index])
  })
})
