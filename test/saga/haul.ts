// A kind with a saga of four steps, and a ConfigMap that names the current one. It is the smallest kind that uses all
// features of sagas.
import { ApiObject } from 'cdk8s'
import {
  ConfigMap,
  type Controller,
  type ControllerOptions,
  type DesiredSaga,
  defineController,
  defineResource,
  defineSaga,
  type LiveObject,
  type SagaContext,
  type SagaRecord,
  type SagaStep,
  type StatusWithConditions,
} from '../../src/index.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import { shelfDefinition } from '../external/shelf.ts'
import type { Road } from './road.ts'

export interface HaulSpec {
  readonly to?: string
  /** Another value requests another attempt. */
  readonly try?: string
  readonly cancel?: string
  readonly removal?: 'compensate' | 'finish' | 'leave'
}

export interface HaulStatus extends StatusWithConditions {
  readonly told?: string
  readonly sagas?: readonly SagaRecord[]
}

export const Haul = defineResource<HaulSpec, HaulStatus>({
  group: 'example.dev',
  version: 'v1',
  kind: 'Haul',
  plural: 'hauls',
  scope: 'Namespaced',
})

interface Facts {
  /** The current step; `-`: none. */
  readonly due: string
}

type Context = SagaContext<HaulSpec, HaulStatus, Facts>

export interface HaulOptions {
  /** Overrides of the steps, by name. */
  readonly steps?: Readonly<Record<string, Partial<SagaStep<object>>>>
  /** Further steps of another version of the operator, after the first. */
  readonly more?: readonly string[]
  readonly over?: Partial<ControllerOptions<HaulSpec, HaulStatus, Facts>>
}

/** Load and Drive can be compensated, Unload is the pivot, Sign follows it. */
export function haulController(road: Road, { steps = {}, more = [], over = {} }: HaulOptions = {}): Controller {
  const stepOf = (name: string, { compensate, ...step }: SagaStep<object>) => {
    const isReversible = name !== 'Unload' && name !== 'Sign'
    return { ...step, ...(isReversible && compensate !== undefined ? { compensate } : {}) }
  }
  const haul = defineSaga({
    name: 'haul',
    pivot: 'Unload',
    retryAdvice: 'set spec.try to another word',
    steps: () => ['Load', ...more, 'Drive', 'Unload', 'Sign'].map((name) => stepOf(name, road.step(name, steps[name]))),
    desired: ({ object: { spec } }: Context): DesiredSaga => {
      const { to, try: again, cancel } = spec
      if (cancel !== undefined) return { kind: 'cancelled', message: cancel }
      if (to === undefined) return { kind: 'none' }
      return { kind: 'wanted', id: again === undefined ? `to-${to}` : `to-${to}-${again}`, input: { to } }
    },
    removal: ({ object: { spec } }) => {
      if (spec.removal === 'leave') return { kind: 'leave', note: 'its spec says so' }
      return { kind: spec.removal ?? 'compensate' }
    },
  })
  return defineController<HaulSpec, HaulStatus, Facts>(Haul, {
    owns: [ConfigMap],
    sagas: [haul],
    observe: async ({ sagas }) => ({ due: sagas[0]?.step ?? '-' }),
    desired: (chart, { object: { metadata }, facts: { due } }) => {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: metadata.name }, data: { due } }
      new ApiObject(chart, 'map', map)
    },
    status: ({ sagas }) => {
      const told = sagas.map(({ state, reason, message }) => `${state}/${reason}: ${message}`)
      return { fields: { told: told.join() }, conditions: [] }
    },
    ...over,
  })
}

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const texts = { type: 'object', additionalProperties: text }
const stepStates = ['Pending', 'Running', 'Done', 'Compensating', 'Compensated', 'Failed', 'Kept']
const step = {
  type: 'object',
  required: ['name', 'state'],
  properties: {
    name: text,
    state: { type: 'string', enum: stepStates },
    startedAt: time,
    attempts: { type: 'integer' },
    retryAt: time,
    reason: text,
    message: text,
    notes: texts,
  },
}
const listed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }

/** Equals the schema in docs/sagas.md. */
export const sagasSchema = {
  ...listed,
  items: {
    type: 'object',
    required: ['name', 'id', 'state', 'generation', 'input', 'startedAt', 'steps'],
    properties: {
      name: text,
      id: text,
      state: { type: 'string', enum: ['Running', 'Compensating', 'Completed', 'Compensated', 'ManualIntervention'] },
      generation: { type: 'integer', format: 'int64' },
      input: texts,
      startedAt: time,
      finishedAt: time,
      pivotedAt: time,
      reason: text,
      message: text,
      retriedFor: text,
      steps: { ...listed, items: step },
    },
  },
}

export function haulDefinition(sagas: object | 'none' = sagasSchema) {
  const { spec, ...definition } = shelfDefinition('none')
  const names = { kind: 'Haul', plural: 'hauls', singular: 'haul', listKind: 'HaulList' }
  const versions = spec.versions.map(({ schema: { openAPIV3Schema }, ...version }) => {
    const { status } = openAPIV3Schema.properties
    const properties = { ...status.properties, told: text, ...(sagas === 'none' ? {} : { sagas }) }
    const schema = {
      ...openAPIV3Schema,
      properties: { ...openAPIV3Schema.properties, status: { ...status, properties } },
    }
    return { ...version, schema: { openAPIV3Schema: schema } }
  })
  return { ...definition, metadata: { name: 'hauls.example.dev' }, spec: { ...spec, names, versions } }
}

export async function addHaul(cluster: TestCluster, spec: HaulSpec = { to: 'north' }): Promise<LiveObject> {
  return await cluster.create(Haul, { metadata: { name: 'a', namespace: 'default' }, spec })
}

export async function haulOf(cluster: TestCluster): Promise<LiveObject<HaulSpec, HaulStatus> | undefined> {
  // The server validates objects of this kind by its schema.
  return (await cluster.find(Haul, 'default/a')) as LiveObject<HaulSpec, HaulStatus> | undefined
}

/** For example `Running: Load Done, Drive Running, Unload Pending, Sign Pending`. */
export function wordsOf(record: SagaRecord | undefined): string {
  if (record === undefined) return 'none'
  return `${record.state}: ${record.steps.map(({ name, state }) => `${name} ${state}`).join(', ')}`
}
