// Are the samples in the docs the code that is compiled and tested?
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { website } from '../examples/minimal-controller.ts'
import { synthesize } from '../src/synth/synth.ts'
import { live } from './objects.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

it('shows in the README a controller that stands in examples/', () => {
  const [, sample] = /```ts\n([\s\S]*?)```/.exec(read('README.md')) ?? []
  expect(sample).toBeDefined()
  expect(read('examples/minimal-controller.ts')).toContain(sample)
})

it('shows a controller that makes what it says', () => {
  const object = live({
    apiVersion: 'example.com/v1',
    kind: 'Website',
    metadata: { name: 'home' },
    spec: { image: 'nginx', replicas: 2 },
  })
  const { objects } = synthesize({
    parent: object,
    controllerName: website.name,
    build: (chart) => website.desired(chart, { object: object as never, facts: undefined }),
    scopeOf: () => 'Namespaced',
  })
  expect(objects.map(({ object: { kind, metadata }, wave }) => `${wave} ${kind} ${metadata.name}`)).toEqual([
    '0 Service home',
    '1 Deployment home',
  ])
})

it.each([
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/architecture.md',
  'docs/getting-started.md',
  'docs/installing.md',
])('has no dead link in %s', (path) => {
  const folder = path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : ''
  const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link)
  for (const link of links)
    expect(() => readFileSync(new URL(`../${folder}${link}`, import.meta.url)), link).not.toThrow(/ENOENT/)
})
