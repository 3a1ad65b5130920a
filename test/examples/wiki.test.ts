// The tests of the guide: a controller's pure functions, without a cluster.
import { App, Chart } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { Wiki, wiki, wikiStatus } from '../../examples/02-owned-children/wiki.ts'
import type { Child } from '../../src/index.ts'
import { live } from '../objects.ts'

const handbook = {
  ...live({ apiVersion: 'example.com/v1', kind: 'Wiki', metadata: { name: 'handbook', namespace: 'shop' } }),
  spec: { image: 'wiki:1.0', theme: 'blue', storage: '1Gi' },
  status: {},
}

it('declares a volume, a migration, servers and a Service', () => {
  const chart = new Chart(new App(), 'test')
  wiki.desired(chart, { object: handbook, facts: { style: 'body {}' } })
  const names = chart.toJson().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  expect(names.sort()).toEqual([
    'Deployment handbook',
    'Job handbook-migration',
    'PersistentVolumeClaim handbook-pages',
    'Service handbook',
  ])
})

it('rejects a wiki whose theme is missing, and names the theme', () => {
  const refusal = wiki.validate({ object: handbook, facts: {} })
  expect(refusal).toMatchObject({ reason: 'ThemeNotFound', message: expect.stringContaining('example.com/theme=blue') })
  expect(wiki.validate({ object: handbook, facts: { style: '' } })).toBeUndefined()
})

describe('the status of a wiki', () => {
  const server = (readiness: Child['readiness']): Child => ({
    object: live({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'handbook', namespace: 'shop' } }),
    readiness,
  })

  it.each([
    { children: [], expected: { status: 'False', message: 'there are no servers yet' } },
    {
      children: [server({ kind: 'progressing', reason: 'InProgress', message: '0 of 1 are ready' })],
      expected: { status: 'False', message: '0 of 1 are ready' },
    },
    {
      children: [server({ kind: 'ready', reason: 'Current', message: '' })],
      expected: { status: 'True', reason: 'Serving' },
    },
  ])('with $children is $expected', ({ children, expected }) => {
    const { fields, conditions } = wikiStatus({ object: handbook, children })
    expect(fields).toEqual({ url: 'http://handbook.shop.svc' })
    expect(conditions).toMatchObject([{ type: 'Available', ...expected }])
  })
})

it('is triggered by the themes that its index names', () => {
  expect(wiki.indexes['theme']?.(handbook)).toEqual(['shop/blue'])
  expect(wiki.resource).toBe(Wiki)
})
