import { App, Chart, Lazy } from 'cdk8s'
import { Construct } from 'constructs'
import { describe, expect, it } from 'vitest'
import { initialOnly, shared } from '../../src/synth/field-policies.ts'
import { overlay } from '../../src/synth/overlay.ts'
import { clusterParent, object, refusalOf, synth } from './fixture.ts'

const group = 'example.com/v1'

describe('synthesize rejects', () => {
  const cases: readonly {
    what: string
    code: string
    path?: string
    says: RegExp
    build: (chart: Chart) => unknown
    over?: object
  }[] = [
    {
      what: 'the same object twice, whatever the version',
      code: 'DuplicateObject',
      path: 'b',
      says: /a and b both make Widget\.example\.com team\/w/,
      build: (chart) => {
        object(chart, 'a', { apiVersion: group, kind: 'Widget', metadata: { name: 'w' } })
        object(chart, 'b', { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'w' } })
      },
    },
    {
      what: 'a Service name that is no DNS-1035 label',
      code: 'InvalidName',
      path: 'a',
      says: /"1st".*DNS-1035/,
      build: (chart) => object(chart, 'a', { kind: 'Service', metadata: { name: '1st' } }),
    },
    {
      what: 'a name that is no subdomain',
      code: 'InvalidName',
      says: /DNS-1123/,
      build: (chart) => object(chart, 'a', { metadata: { name: 'A_b' } }),
    },
    {
      what: 'a name over 253 characters',
      code: 'InvalidName',
      says: /253/,
      build: (chart) => object(chart, 'a', { metadata: { name: 'a'.repeat(254) } }),
    },
    {
      what: 'a Service name over 63 characters',
      code: 'InvalidName',
      says: /63/,
      build: (chart) => object(chart, 'a', { kind: 'Service', metadata: { name: 'a'.repeat(64) } }),
    },
    {
      what: 'a StatefulSet name that its pods’ labels have no room for',
      code: 'InvalidName',
      says: /at most 52/,
      build: (chart) =>
        object(chart, 'a', { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'a'.repeat(53) } }),
    },
    {
      what: 'an empty name',
      code: 'MissingName',
      says: /no metadata\.name/,
      build: (chart) => object(chart, 'a', { metadata: { name: '' } }),
    },
    {
      what: 'a kind that the controller does not own',
      code: 'KindNotOwned',
      says: /Unheard of v1, which the controller does not own; add the kind to its owns/,
      build: (chart) => object(chart, 'a', { kind: 'Unheard' }),
    },
    {
      what: 'an object without kind',
      code: 'UnknownKind',
      says: /set both/,
      build: (chart) => object(chart, 'a', { kind: undefined, metadata: { name: 'a' } }),
    },
    {
      what: 'a namespace on a cluster-scoped kind',
      code: 'ScopeMismatch',
      says: /leave it out/,
      build: (chart) => object(chart, 'a', { kind: 'ClusterRole', metadata: { name: 'a', namespace: 'other' } }),
    },
    {
      what: 'no namespace under a cluster-scoped parent',
      code: 'ScopeMismatch',
      says: /must be set/,
      build: (chart) => object(chart, 'a'),
      over: { parent: clusterParent },
    },
    {
      what: 'a namespace that is no name',
      code: 'InvalidName',
      says: /metadata\.namespace to "Not A Name"/,
      build: (chart) => object(chart, 'a', { metadata: { name: 'a', namespace: 'Not A Name' } }),
    },
    {
      what: 'a chart inside the chart',
      code: 'ForbiddenConstruct',
      path: 'inner',
      says: /extend Construct/,
      build: (chart) => new Chart(chart, 'inner'),
    },
    {
      what: 'a second chart in the app',
      code: 'ForbiddenConstruct',
      says: /not alone/,
      build: (chart) => object(new Chart(App.of(chart), 'side'), 'a'),
    },
    {
      what: 'an async build',
      code: 'AsyncBuild',
      says: /observe/,
      build: async () => {
        throw new Error('unseen')
      },
    },
    {
      what: 'a label value that is too long',
      code: 'InvalidLabel',
      says: /64 characters/,
      build: (chart) => object(chart, 'a', { metadata: { name: 'a', labels: { app: 'x'.repeat(64) } } }),
    },
    {
      what: 'a label that is no string',
      code: 'InvalidLabel',
      says: /"on" is a boolean/,
      build: (chart) => object(chart, 'a', { metadata: { name: 'a', labels: { on: true } } }),
    },
    {
      what: 'an annotation with a bad key',
      code: 'InvalidLabel',
      says: /more than one \//,
      build: (chart) => object(chart, 'a', { metadata: { name: 'a', annotations: { 'a/b/c': '' } } }),
    },
    {
      what: 'a controller name that is no label value',
      code: 'InvalidLabel',
      says: /owned-by/,
      build: (chart) => object(chart, 'a'),
      over: { controllerName: 'not a label' },
    },
    {
      what: 'the parent itself as child',
      code: 'OwnIdentity',
      says: /another name/,
      build: (chart) =>
        object(chart, 'a', {
          apiVersion: 'data.konverge.dev/v1',
          kind: 'ReplicatedKVStore',
          metadata: { name: 'store' },
        }),
    },
    {
      what: 'a Date',
      code: 'NotJson',
      path: 'a',
      says: /construct a .*Date/,
      build: (chart) => object(chart, 'a', { data: { at: new Date(0) } }),
    },
    {
      what: 'a NaN',
      code: 'NotJson',
      says: /\/spec\/ports\/0 is NaN/,
      build: (chart) => object(chart, 'a', { spec: { ports: [Number.NaN] } }),
    },
    {
      what: 'a function',
      code: 'NotJson',
      says: /\/data\/f is a function/,
      build: (chart) => object(chart, 'a', { data: { f: () => 1 } }),
    },
    {
      what: 'a lazy value that throws',
      code: 'NotJson',
      path: 'a',
      says: /too lazy/,
      build: (chart) =>
        object(chart, 'a', {
          data: {
            v: Lazy.any({
              produce: () => {
                throw new Error('too lazy')
              },
            }),
          },
        }),
    },
    {
      what: 'an object that contains itself',
      code: 'NotJson',
      says: /construct a/,
      build: (chart) => {
        const loop: Record<string, unknown> = {}
        loop['self'] = loop
        return object(chart, 'a', { data: loop })
      },
    },
    ...['managedFields', 'uid', 'resourceVersion', 'generation', 'ownerReferences', 'deletionTimestamp'].map(
      (field) => ({
        what: `a declared metadata.${field}`,
        code: 'ForbiddenField',
        path: 'a',
        says: new RegExp(`metadata\\.${field}`),
        build: (chart: Chart) => object(chart, 'a', { metadata: { name: 'a', [field]: 'x' } }),
      }),
    ),
    {
      what: 'a declared status',
      code: 'ForbiddenField',
      says: /declares status/,
      build: (chart) => object(chart, 'a', { status: {} }),
    },
    {
      what: 'a status that an overlay adds',
      code: 'ForbiddenField',
      says: /declares status/,
      build: (chart) => overlay(object(chart, 'a'), { type: 'merge', body: { status: {} } }),
    },
    {
      what: 'a throw in build, after saying where',
      code: 'BuildFailed',
      path: 'group/a',
      says: /ReplicatedKVStore team\/store threw in or after construct group\/a: no port/,
      build: (chart) => {
        object(new Construct(chart, 'group'), 'a')
        throw new Error('no port')
      },
    },
    {
      what: 'a failed validation, with all complaints',
      code: 'ValidationFailed',
      says: /a: too small; a: too big/,
      build: (chart) => object(chart, 'a').node.addValidation({ validate: () => ['too small', 'too big'] }),
    },
    {
      what: 'a validation that throws',
      code: 'ValidationFailed',
      says: /a: its validation threw: oh/,
      build: (chart) =>
        object(chart, 'a').node.addValidation({
          validate: () => {
            throw new Error('oh')
          },
        }),
    },
    {
      what: 'a dependency on another tree',
      code: 'DependencyOutside',
      path: 'a',
      says: /depends on elsewhere/,
      build: (chart) => object(chart, 'a').node.addDependency(new Chart(new App(), 'elsewhere')),
    },
    {
      what: 'an overlay that does not fit',
      code: 'OverlayFailed',
      path: 'a',
      says: /replace \/spec\/x: there is no such field/,
      build: (chart) =>
        overlay(object(chart, 'a'), { type: 'json', body: [{ op: 'replace', path: '/spec/x', value: 1 }] }),
    },
    {
      what: 'an overlay on a construct without a default object',
      code: 'OverlayFailed',
      path: 'group',
      says: /on the ApiObject itself/,
      build: (chart) => overlay(new Construct(chart, 'group'), { type: 'merge', body: {} }),
    },
    {
      what: 'an overlay that is not JSON',
      code: 'NotJson',
      says: /its overlay.*NaN/,
      build: (chart) => overlay(object(chart, 'a'), { type: 'merge', body: { a: Number.NaN } }),
    },
    {
      what: 'a policy over the name',
      code: 'InvalidPolicy',
      path: 'a',
      says: /metadata\.name/,
      build: (chart) => shared(object(chart, 'a'), 'metadata.name'),
    },
    {
      what: 'a policy path that cannot be read',
      code: 'InvalidPolicy',
      says: /no field path/,
      build: (chart) => initialOnly(object(chart, 'a'), 'spec..replicas'),
    },
  ]
  it.each(cases)('$what', ({ code, path, says, build, over }) => {
    const refusal = refusalOf(() => synth(build as (chart: Chart) => void, over))
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(says) })
    if (path !== undefined) expect(refusal.constructPath).toBe(path)
  })

  it('Include and its subclasses, also of another copy of cdk8s', () => {
    class OtherInclude extends Construct {}
    Object.defineProperty(OtherInclude, Symbol.for('jsii.rtti'), { value: { fqn: 'cdk8s.Include', version: '2' } })
    class Derived extends OtherInclude {}
    const refusal = refusalOf(() => synth((chart) => new Derived(chart, 'manifest')))
    expect(refusal).toMatchObject({ code: 'ForbiddenConstruct', constructPath: 'manifest' })
  })
})
