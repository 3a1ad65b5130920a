// Controller of Pipelines, each of which owns a Run: a custom kind whose status has an entry per step and grows large.
// The cache drops these entries. Outside this repository the import reads: from 'konverge'.
import { defineController, defineResource, objectOf, type StatusWithConditions } from '../../src/index.ts'

interface PipelineSpec {
  readonly steps: number
}

interface PipelineStatus extends StatusWithConditions {
  readonly phase?: string
}

interface RunStatus extends PipelineStatus {
  /** One entry per step; the cache drops them. */
  readonly nodes?: Readonly<Record<string, { readonly log: string }>>
}

export const Pipeline = defineResource<PipelineSpec, PipelineStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Pipeline',
  plural: 'pipelines',
  scope: 'Namespaced',
})

export const Run = defineResource<PipelineSpec, RunStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Run',
  plural: 'runs',
  scope: 'Namespaced',
})

export const pipeline = defineController<PipelineSpec, PipelineStatus, undefined>(Pipeline, {
  owns: [{ resource: Run, dropStatus: ['nodes'] }],
  desired: (_, { object: { metadata, spec } }) => [
    objectOf(Run, { metadata: { name: metadata.name }, spec: { steps: spec.steps } }),
  ],
  status: ({ children }) => {
    const run = children[0]?.object.status as RunStatus | undefined // The status of a Run, the only owned kind.
    return { fields: { phase: run?.phase ?? 'Pending' }, conditions: [] }
  },
})
