// Controller without constructs of its own: a Report is a ConfigMap with a query and a Job that runs it. Outside this
// repository the first import reads: from 'konverge'.
import {
  addObject,
  type Condition,
  ConfigMap,
  defineController,
  defineResource,
  Job,
  nameKeyAnnotation,
  objectOf,
  waitForReady,
} from '../../src/index.ts'

interface ReportSpec {
  readonly image: string
  readonly query: string
  readonly run?: string
}

interface ReportStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

export const Report = defineResource<ReportSpec, ReportStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Report',
  plural: 'reports',
  scope: 'Namespaced',
})

export const report = defineController(Report, {
  owns: [ConfigMap, Job],
  finalizer: false,
  desired: (chart, { object: { metadata, spec } }) => {
    const { name } = metadata
    const container = { name: 'report', image: spec.image, envFrom: [{ configMapRef: { name } }] }
    const run = addObject(chart, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { generateName: `${name}-`, annotations: { [nameKeyAnnotation]: spec.run ?? '' } },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
    })
    waitForReady(run, addObject(chart, objectOf(ConfigMap, { metadata: { name }, data: { QUERY: spec.query } })))
    return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-readme` }, data: { owner: name } }]
  },
  status: () => ({ fields: {}, conditions: [] }),
})
