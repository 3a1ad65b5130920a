import { describe, expect, it } from 'vitest'
import { identityOf, type Step } from '../../src/apply/plan.ts'
import { pruneWaits } from '../../src/apply/prune-waits.ts'
import { CodedError } from '../../src/base/errors.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { live, store } from '../objects.ts'

const parent = store()
const noPolicies = {
  shared: [],
  initialOnly: [],
  recreateOnChange: undefined,
  contribute: false,
  isSelf: false,
  coOwn: false,
  hold: undefined,
  readyWhen: [],
  retain: false,
}

/** Returns a ConfigMap for `namespace/name`, a cluster-scoped object for `name`. */
function objectAt(key: string): LiveObject {
  const [first = '', name] = key.split('/')
  if (name !== undefined) return live({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: first } })
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: first, uid: `uid-of-${first}`, resourceVersion: '1' },
  }
}

const different = { kind: 'different', changes: [] } as const

function stepOf(key: string, kind: Step['action']['kind'], follows: readonly string[] = []): Step {
  const object = objectAt(key)
  const actions: Readonly<Record<string, Step['action']>> = {
    create: { kind: 'create' },
    change: { kind: 'change', live: object, comparison: different },
    leave: { kind: 'leave', live: object, why: 'equal' },
    hold: { kind: 'hold', live: undefined, on: 'it is not due' },
    refuse: { kind: 'refuse', live: object, error: failed('ConflictingOwner') },
  }
  return {
    desired: { object, lasting: object, wave: 0, dependsOn: [], policies: noPolicies, constructPath: key },
    action: actions[kind] ?? { kind: 'create' },
    follows: follows.map((other) => identityOf(objectAt(other))),
    waitsFor: [],
  }
}

function failed(code: string, remedy: 'retry' | 'stop' = 'retry'): CodedError {
  return new CodedError({ code, message: code, remedy })
}

const undeclared = ['default/old', 'n0/old', 'n1/old', 'disk']

interface Row {
  readonly of: string
  /** Steps with their errors; without an error the step is held. */
  readonly steps: readonly (readonly [step: Step, error?: CodedError])[]
  readonly stay: readonly string[]
}

const all = undeclared
const none: readonly string[] = []
const ofNamespace = ['n0/old']
const shared = ['default/old', 'n0/old', 'disk']
const conflict = failed('ConflictingOwner')
const rows: readonly Row[] = [
  { of: 'no failure', steps: [], stay: none },
  { of: 'a conflict at home', steps: [[stepOf('default/x', 'refuse'), conflict]], stay: all },
  { of: 'a conflict of a cluster-scoped child', steps: [[stepOf('x', 'refuse'), conflict]], stay: all },
  { of: 'a conflict elsewhere, in memory', steps: [[stepOf('n0/x', 'refuse'), conflict]], stay: ofNamespace },
  { of: 'a conflict elsewhere, met by the creation', steps: [[stepOf('n0/x', 'create'), conflict]], stay: ofNamespace },
  { of: 'a fight elsewhere', steps: [[stepOf('n0/x', 'change'), failed('NotConverging')]], stay: ofNamespace },
  { of: 'a rejected change elsewhere', steps: [[stepOf('n0/x', 'change'), failed('Invalid')]], stay: shared },
  {
    of: 'a change elsewhere that is impossible',
    steps: [[stepOf('n0/x', 'change'), failed('ImmutableField', 'stop')]],
    stay: shared,
  },
  { of: 'a dropped field elsewhere', steps: [[stepOf('n0/x', 'leave'), failed('UnknownField', 'stop')]], stay: shared },
  { of: 'a change elsewhere without an answer', steps: [[stepOf('n0/x', 'change'), failed('Unreachable')]], stay: all },
  { of: 'a rejected creation elsewhere', steps: [[stepOf('n0/x', 'create'), failed('Forbidden')]], stay: all },
  { of: 'a hold elsewhere', steps: [[stepOf('n0/x', 'hold')]], stay: all },
  { of: 'an unreadable child elsewhere', steps: [[stepOf('n0/forbidden', 'hold')]], stay: ofNamespace },
  { of: 'a gate elsewhere', steps: [[stepOf('n0/x', 'create')]], stay: all },
  {
    of: 'a dependent in the namespace of a conflict',
    steps: [[stepOf('n0/x', 'refuse'), conflict], [stepOf('n0/y', 'create', ['n0/x'])]],
    stay: ofNamespace,
  },
  {
    of: 'a dependent in the namespace of a rejected change',
    steps: [[stepOf('n0/x', 'change'), failed('Invalid')], [stepOf('n0/y', 'change', ['n0/x'])]],
    stay: shared,
  },
  {
    of: 'a dependent in another namespace than the conflict',
    steps: [[stepOf('n0/x', 'refuse'), conflict], [stepOf('n2/y', 'create', ['n0/x'])]],
    stay: all,
  },
  {
    of: 'a dependent in another namespace that is as declared',
    steps: [[stepOf('n0/x', 'refuse'), conflict], [stepOf('n2/y', 'leave', ['n0/x'])]],
    stay: ofNamespace,
  },
  {
    of: 'a dependent of a dependent that is as declared',
    steps: [
      [stepOf('n0/x', 'refuse'), conflict],
      [stepOf('n2/y', 'leave', ['n0/x'])],
      [stepOf('n2/z', 'create', ['n2/y'])],
    ],
    stay: all,
  },
  {
    of: 'conflicts in two namespaces',
    steps: [
      [stepOf('n0/x', 'refuse'), conflict],
      [stepOf('n1/x', 'refuse'), conflict],
    ],
    stay: ['n0/old', 'n1/old'],
  },
]

describe('children that are no longer declared', () => {
  it.each(rows)('stay if a held object may replace them: $of', ({ steps, stay }) => {
    const waits = pruneWaits({
      parent,
      steps: steps.map(([step]) => step),
      heldBack: new Map(steps.map(([{ desired }, error]) => [identityOf(desired.object), error])),
      forbidden: [{ kind: 'ConfigMap', namespace: 'n0', name: 'forbidden' }],
    })
    expect(undeclared.filter((key) => waits(objectAt(key)))).toEqual(stay)
  })

  it('stay in another cluster, where all children are remote, if they are cluster-scoped and a change was rejected', () => {
    const step = stepOf('default/x', 'change')
    const waits = pruneWaits({
      parent,
      cluster: { name: 'edge', uid: 'edge', homeUid: 'home' },
      steps: [step],
      heldBack: new Map([[identityOf(step.desired.object), failed('Invalid')]]),
      forbidden: [],
    })
    expect(undeclared.filter((key) => waits(objectAt(key)))).toEqual(['default/old', 'disk'])
  })
})
