// Controller with the most common features: facts, a watched kind with an index, a rejection, constructs with policies,
// its own conditions and cleanup. docs/writing-a-controller.md explains it piece by piece.
import {
  ConfigMap,
  type ControllerOptions,
  childNamed,
  Deployment,
  defineController,
  defineResource,
  Job,
  PersistentVolumeClaim,
  Service,
  type StatusContext,
  type StatusReport,
  type StatusWithConditions,
  valueAt,
} from '../../src/index.ts'
import { WikiSite } from './wiki-site.ts'

export interface WikiSpec {
  readonly image: string
  /** Value of the label `example.com/theme` of a ConfigMap in the same namespace. */
  readonly theme: string
  readonly storage: string
}

export interface WikiStatus extends StatusWithConditions {
  readonly url?: string
}

export const Wiki = defineResource<WikiSpec, WikiStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Wiki',
  plural: 'wikis',
  scope: 'Namespaced',
})

export interface WikiFacts {
  /** CSS; absent if no ConfigMap has the theme's label. */
  readonly style?: string
}

const themeLabel = 'example.com/theme'

const watches: ControllerOptions<WikiSpec, WikiStatus, WikiFacts>['watches'] = [
  {
    resource: ConfigMap,
    labelSelector: themeLabel,
    keysFor: ({ metadata: { namespace, labels } }, lookup) => lookup('theme', `${namespace}/${labels?.[themeLabel]}`),
    digest: (theme) => valueAt(theme, 'data', 'style') ?? null,
  },
]

export const wiki = defineController<WikiSpec, WikiStatus, WikiFacts>(Wiki, {
  owns: [PersistentVolumeClaim, Job, Deployment, { resource: Service, statusMatters: false }],
  indexes: { theme: ({ metadata, spec }) => [`${metadata.namespace}/${spec.theme}`] },
  watches,
  observe: async ({ object: { metadata, spec }, live }) => {
    const labels = { [themeLabel]: spec.theme }
    const [theme] = await live.list(ConfigMap, { namespace: metadata.namespace, labels })
    const style = theme === undefined ? undefined : valueAt(theme, 'data', 'style')
    return typeof style === 'string' ? { style } : {}
  },
  validate: ({ object: { spec }, facts }) =>
    facts.style === undefined
      ? { reason: 'ThemeNotFound', message: `no ConfigMap labelled ${themeLabel}=${spec.theme} has a style; make one` }
      : undefined,
  desired: (chart, { object: { metadata, spec }, facts: { style = '' } }) => {
    const { image, storage } = spec
    new WikiSite(chart, 'site', { name: metadata.name, image, storage, style })
  },
  status: wikiStatus,
  cleanup: async ({ object: { metadata }, report }) => {
    const note = `kept the pages in the volume claim ${metadata.name}-pages; delete it when they are no longer needed`
    report({ type: 'Normal', reason: 'PagesKept', action: 'Delete', note })
    return { kind: 'done' }
  },
})

/**
 * The servers may run while another child differs from its declaration: Available reports the servers, Ready reports
 * all children.
 */
export function wikiStatus({
  object,
  children,
}: Pick<StatusContext<WikiSpec, WikiStatus, WikiFacts>, 'object' | 'children'>): StatusReport<WikiStatus> {
  const { metadata } = object
  const server = childNamed({ object, children }, Deployment, metadata.name)
  const isAvailable = server?.readiness.kind === 'ready'
  return {
    fields: { url: `http://${metadata.name}.${metadata.namespace}.svc` },
    conditions: [
      isAvailable
        ? { type: 'Available', status: 'True', reason: 'Serving', message: 'the servers are up' }
        : {
            type: 'Available',
            status: 'False',
            reason: 'NotServing',
            message: server?.readiness.message ?? 'there are no servers yet',
          },
    ],
  }
}
