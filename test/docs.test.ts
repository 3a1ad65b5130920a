// Samples in the docs are code that is compiled and tested; links in the docs lead to files.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { website } from '../examples/01-minimal/website.ts'
import { synthesize } from '../src/synth/synth.ts'
import { live } from './objects.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** Returns the text without indentation. */
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')

it.each([
  'README.md',
  'docs/children.md',
  'docs/command-line.md',
  'docs/controller-options.md',
  'docs/external-resources.md',
  'docs/operator-client.md',
  'docs/running-an-operator.md',
  'docs/sagas.md',
  'docs/writing-a-controller.md',
  'docs/scaling-out.md',
  'docs/testing.md',
])('shows in %s only code that is compiled and tested', (path) => {
  const sources = ['examples', 'test/examples'].flatMap((folder) =>
    readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => lines(read(`${folder}/${name}`))),
  )
  const samples = [...read(path).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, sample = '']) => lines(sample))
  expect(samples.length).toBeGreaterThan(0)
  for (const sample of samples)
    expect(
      sources.some((source) => source.includes(sample)),
      sample,
    ).toBe(true)
})

it('shows a controller that creates what it declares', () => {
  const object = live({
    apiVersion: 'example.com/v1',
    kind: 'Website',
    metadata: { name: 'home' },
    spec: { image: 'nginx', replicas: 2 },
  })
  const { objects } = synthesize({
    parent: object,
    operatorName: 'websites',
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
  'docs/alerts.md',
  'docs/apiserver.md',
  'docs/architecture.md',
  'docs/backups.md',
  'docs/children.md',
  'docs/command-line.md',
  'docs/conformance.md',
  'docs/controller-options.md',
  'docs/database.md',
  'docs/database-users.md',
  'docs/database-rds.md',
  'docs/external-resources.md',
  'docs/getting-started.md',
  'docs/glossary.md',
  'docs/local-node.md',
  'docs/migrations.md',
  'docs/multi-cluster.md',
  'docs/operator-client.md',
  'docs/remote-children.md',
  'docs/restores.md',
  'docs/running-an-operator.md',
  'docs/sagas.md',
  'docs/scaling-out.md',
  'docs/secrets.md',
  'docs/security.md',
  'docs/upgrades.md',
  'docs/writing-a-controller.md',
  'docs/testing.md',
  'examples/README.md',
  'docs/installing.md',
  ...readdirSync(new URL('../docs/reference/', import.meta.url)).map((name) => `docs/reference/${name}`),
])('has no dead link in %s', (path) => {
  const folder = path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : ''
  const prose = read(path).replaceAll(/`[^`\n]+`/g, '')
  const links = [...prose.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link)
  for (const link of links)
    expect(() => readFileSync(new URL(`../${folder}${link}`, import.meta.url)), link).not.toThrow(/ENOENT/)
})
