// Descriptors of Kubernetes kinds, compared with the embedded API server, whose catalogue equals the real one.
import { describe, expect, it } from 'vitest'
import { builtInCatalogue } from '../../src/apiserver/built-in/catalogue.ts'
import * as door from '../../src/index.ts'
import * as builtIn from '../../src/object/built-in.ts'
import type { Resource } from '../../src/object/resource.ts'

const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && 'plural' in value && 'kind' in value
const descriptors = Object.entries(builtIn).flatMap(([name, value]) => (isResource(value) ? [{ name, ...value }] : []))
/** Kinds that the embedded API server does not serve. */
const unserved = [
  'APIService',
  'CSIDriver',
  'CertificateSigningRequest',
  'LimitRange',
  'MutatingWebhookConfiguration',
  'ResourceQuota',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'VolumeAttachment',
]

describe('the descriptor of a kind of Kubernetes', () => {
  it.each(descriptors)('equals what the API server serves: $name', ({ name, group, version, kind, plural, scope }) => {
    const served = builtInCatalogue.find(
      (entry) => entry.group === group && entry.version === version && entry.kind === kind,
    )
    if (served === undefined) return expect(unserved).toContain(name)
    expect({ plural, scope }).toEqual({ plural: served.plural, scope: served.isNamespaced ? 'Namespaced' : 'Cluster' })
  })

  it.each(descriptors)('belongs to Kubernetes: $name', (resource) => {
    expect(builtIn.isBuiltIn(resource)).toBe(true)
  })

  it('is exported for each kind, except the older form of Events', () => {
    const names = descriptors.map(({ name }) => name).filter((name) => name !== 'CoreEvent')
    expect(Object.keys(door)).toEqual(expect.arrayContaining(names))
    expect(names).toEqual(
      expect.arrayContaining(['Node', 'Ingress', 'NetworkPolicy', 'Role', 'HorizontalPodAutoscaler', 'EndpointSlice']),
    )
  })

  it('exists for each kind that the embedded API server serves and a controller may own', () => {
    const kinds = new Set(descriptors.map(({ group, kind }) => `${group}/${kind}`))
    const missing = builtInCatalogue.filter(
      ({ group, kind, verbs }) => verbs.includes('watch') && !kinds.has(`${group}/${kind}`),
    )
    expect(missing.map(({ kind }) => kind)).toEqual([])
  })
})
