// Scripts of lists and watches with every option, among a few writes.
import fc from 'fast-check'
import { configMaps, widgets } from '../../kinds.ts'
import type { Query } from '../../server-under-test.ts'
import type { Step } from '../script.ts'
import { collection, form, step } from './objects.ts'
import { create, mergePatch, remove, update } from './writes.ts'

const kind = fc.constantFrom(widgets, widgets, configMaps)

const version = fc.constantFrom(
  undefined,
  undefined,
  '0',
  '{{rv:a}}',
  '{{old:a}}',
  '{{rv:b}}',
  '{{old:c}}',
  'x',
  '-1',
  '',
)

const selector: fc.Arbitrary<Query> = fc.constantFrom<Query>(
  {},
  {},
  { labelSelector: 'tier=1' },
  { labelSelector: 'tier' },
  { labelSelector: '!tier' },
  { labelSelector: 'tier in (1,2),rank notin (2)' },
  { labelSelector: 'rank>1' },
  { labelSelector: 'tier=(' },
  { fieldSelector: 'metadata.name=a' },
  { fieldSelector: 'metadata.name!=a' },
  { fieldSelector: 'metadata.namespace={{namespace}}' },
  { fieldSelector: 'spec.size=1' },
)

/** Controllers create one config map; lists exclude it. */
function withoutForeign(path: string, query: Query): Query {
  if (!path.endsWith('/configmaps')) return query
  const foreign = 'metadata.name!=kube-root-ca.crt'
  const { fieldSelector } = query
  return { ...query, fieldSelector: fieldSelector === undefined ? foreign : `${fieldSelector},${foreign}` }
}

const list: fc.Arbitrary<Step> = fc
  .tuple(
    kind,
    version,
    fc.constantFrom(undefined, undefined, undefined, 'Exact', 'NotOlderThan', 'Newest'),
    fc.constantFrom(undefined, 0, 1, 2, 3),
    fc.constantFrom(undefined, undefined, '{{continue}}', 'bad'),
    selector,
    form,
  )
  .map(([kind, resourceVersion, resourceVersionMatch, limit, token, selector, headers]) => {
    const path = collection(kind)
    const query = { resourceVersion, resourceVersionMatch, limit, continue: token, ...selector }
    return step({ method: 'GET', path, query: withoutForeign(path, query), headers })
  })

const watch: fc.Arbitrary<Step> = fc
  .tuple(
    kind,
    version,
    selector,
    fc.constantFrom<Query>(
      {},
      {},
      { allowWatchBookmarks: true },
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true },
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
      { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' },
      { sendInitialEvents: true },
      { resourceVersionMatch: 'NotOlderThan' },
      { resourceVersionMatch: 'Exact' },
    ),
  )
  .map(([kind, resourceVersion, selector, options]) => {
    const path = collection(kind)
    return step(
      { method: 'GET', path, query: withoutForeign(path, { resourceVersion, ...selector, ...options }) },
      'watch',
    )
  })

const write = fc.oneof(create, create, update, mergePatch, remove)
const deleteMany: fc.Arbitrary<Step> = selector.map((query) =>
  step({ method: 'DELETE', path: collection(widgets), query }),
)

export const listSteps = fc
  .tuple(
    fc.array(create, { minLength: 4, maxLength: 6 }),
    fc.array(fc.oneof({ weight: 6, arbitrary: list }, { weight: 1, arbitrary: write }), {
      minLength: 15,
      maxLength: 25,
      size: 'max',
    }),
  )
  .map(([writes, reads]) => [...writes, ...reads])

export const watchSteps = fc
  .tuple(
    fc.array(fc.oneof({ weight: 8, arbitrary: write }, { weight: 1, arbitrary: deleteMany }), {
      minLength: 10,
      maxLength: 14,
      size: 'max',
    }),
    fc.array(watch, { minLength: 3, maxLength: 5 }),
  )
  .map(([writes, watches]) => [...writes, ...watches])
