// Check of docs/reference/labels-and-annotations.md, a handwritten page: it lists the keys of the source, and no other.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { identityOf, partOf } from '../../src/object/identity.ts'
import { settledMarks } from '../../src/reconcile/inventory.ts'
import { live } from '../objects.ts'
import { keysIn } from './keys-in-source.ts'
import { root } from './pages.ts'

const path = 'docs/reference/labels-and-annotations.md'
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')

/** Names in the domain that appear on no object. */
const otherNames: Readonly<Record<string, string>> = {
  'konverge.dev/apply-set': 'name of an index',
  'konverge.dev/local': 'provisioner of volumes',
  'konverge.dev/co-own': 'metadata of constructs',
  'konverge.dev/contribute': 'metadata of constructs',
  'konverge.dev/hold': 'metadata of constructs',
  'konverge.dev/initial-only': 'metadata of constructs',
  'konverge.dev/overlay': 'metadata of constructs',
  'konverge.dev/ready-when': 'metadata of constructs',
  'konverge.dev/recreate-on-change': 'metadata of constructs',
  'konverge.dev/retain': 'metadata of constructs',
  'konverge.dev/shared': 'metadata of constructs',
  'konverge.dev/waits-for-ready': 'metadata of constructs',
}

/** Keys in the first column of the tables. */
const documented = [...read(path).matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key),
)
/** The part before `<name>`, as in a literal of the source. */
const beginnings = documented.map((key) => key.replace(/^<part>\./, '').replace(/<.*$/, ''))

const sources = ['src', 'constructs'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
)
const inSource = new Set(
  sources.flatMap((file) => {
    const text = read(file)
    return /konverge\.dev\/|applyset\.kubernetes\.io\//.test(text) ? keysIn(text) : []
  }),
)
const crdLabels = readdirSync(new URL('crds/', root)).flatMap((name) =>
  [...read(`crds/${name}`).matchAll(/^ {4}(\S+\/\S+):/gm)].map(([, key = '']) => key),
)

/** Keys that the inventory composes: those of a controller, and those of a controller with a part. */
const marks = [undefined, 'audit'].flatMap((part) => {
  const identity = partOf(identityOf('konverge', 'eu'), part)
  const { labels, annotations } = settledMarks(live({}), { kinds: ['Job.batch'], namespaces: ['a'] }, identity)
  return [...Object.keys(labels), ...Object.keys(annotations)].map((key) => key.replace(/^audit\./, '<part>.'))
})

it('lists every key that the source names', () => {
  const missing = [...inSource].filter((key) => !beginnings.includes(key) && otherNames[key] === undefined)
  expect(missing, `add the keys to ${path}`).toEqual([])
})

it('lists every key of the inventory and of the CRDs', () => {
  const missing = [...marks, ...crdLabels].filter((key) => !documented.includes(key))
  expect(missing, `add the keys to ${path}`).toEqual([])
  expect(marks.length).toBe(9)
  expect(crdLabels.length).toBeGreaterThan(4)
})

it('lists no key that the source no longer names', () => {
  const known = [...inSource, ...marks, ...crdLabels].map((key) => key.replace(/^<part>\./, ''))
  expect(beginnings.filter((key) => !known.includes(key))).toEqual([])
  expect(Object.keys(otherNames).filter((key) => !inSource.has(key))).toEqual([])
})

it.each([
  ["const a = 'konverge.dev/paused'", ['konverge.dev/paused']],
  ['const a = `\u0024{b}.konverge.dev/shard`', ['konverge.dev/shard']],
  ['const a = `data.konverge.dev/usable-by-\u0024{b}`', ['data.konverge.dev/usable-by-']],
  ["fail('set konverge.dev/adopt: Site/a')", ['konverge.dev/adopt']],
  ["const a = 'data.konverge.dev/v1alpha1' // konverge.dev/comment", []],
])('finds the keys in %s', (text, keys) => {
  expect(keysIn(text)).toEqual(keys)
})
