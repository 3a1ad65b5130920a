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
  // Objects of a watched kind that are not cached are outside the selection, and must be declared like any other.
  ['find', Pod, false],
  ['list', Pod, false],
] as const)('isDeclaredRead decides whether a controller may %s $kind', (verb, resource, expected) => {
  expect(isDeclaredRead(controller, resource, verb)).toBe(expected)
})

it('isDeclaredRead compares kinds in any version', () => {
  expect(isDeclaredRead(controller, { ...Secret, version: 'v2' }, 'find')).toBe(true)
  expect(isDeclaredRead(controller, { ...Secret, group: 'example.com' }, 'find')).toBe(false)
})
