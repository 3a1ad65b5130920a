import { expect, it } from 'vitest'
import { ConfigMap, Deployment, Job, Pod, Secret, Service } from '../../src/object/built-in.ts'
import { isDeclaredRead } from '../../src/reconcile/declared-read.ts'
import { siteController } from './life.ts'

const controller = siteController({
  owns: [ConfigMap],
  watches: [{ resource: Pod, keysFor: () => [] }],
  reads: [Secret, { resource: Service, isListed: true }],
  rights: [
    { resource: Job, verbs: ['get', 'delete'] },
    { resource: Deployment, subresource: 'scale', verbs: ['get', 'list'] },
  ],
})

it.each([
  ['find', ConfigMap, true],
  ['list', ConfigMap, true],
  ['find', Secret, true],
  ['list', Secret, false],
  ['find', Service, true],
  ['list', Service, true],
  ['find', Job, true],
  ['list', Job, false],
  ['find', Deployment, false],
  // What memory does not hold of a watched kind is outside the selection, and has to be declared like any other.
  ['find', Pod, false],
  ['list', Pod, false],
] as const)('may a controller %s $kind', (verb, resource, expected) => {
  expect(isDeclaredRead(controller, resource, verb)).toBe(expected)
})

it('goes by kind, whatever the version', () => {
  expect(isDeclaredRead(controller, { ...Secret, version: 'v2' }, 'find')).toBe(true)
  expect(isDeclaredRead(controller, { ...Secret, group: 'example.com' }, 'find')).toBe(false)
})
