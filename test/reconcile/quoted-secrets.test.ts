// A controller copies a Secret value into a field that the API server rejects and quotes. Only the API server and its
// client have the value in a message.
import { ApiObject } from 'cdk8s'
import { expect, it } from 'vitest'
import { Event, Secret, Service } from '../../src/object/built-in.ts'
import type { LiveObject, StatusWithConditions } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { startCluster } from '../../src/testing/index.ts'
import type { ObjectBody } from '../../src/testing/test-cluster.ts'
import { secretText } from '../taint/secret-text.ts'

interface DoorSpec {
  readonly key: string
}

const Door = defineResource<DoorSpec, StatusWithConditions>({
  ...{ group: 'example.com', version: 'v1', kind: 'Door', plural: 'doors', scope: 'Namespaced' },
})

const definition: ObjectBody = {
  metadata: { name: 'doors.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Door', plural: 'doors', singular: 'door' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

const doors = defineController(Door, {
  owns: [Service],
  reads: [Secret],
  observe: async ({ object: { metadata, spec }, live }) => {
    const found = await live.find(Secret, { namespace: metadata.namespace ?? '', name: spec.key })
    const { word = '' } = (found?.['data'] ?? {}) as Readonly<Record<string, string>> // A Secret's.
    return { word: Buffer.from(word, 'base64').toString() }
  },
  desired: (chart, { object: { metadata }, facts: { word } }) => {
    new ApiObject(chart, 'service', {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: metadata.name } },
      spec: { ports: [{ port: 80 }], sessionAffinity: word },
    })
  },
  status: () => ({ fields: {}, conditions: [] }),
})

it.each([
  ['long', secretText('door')],
  ['of one word', 'opensesame'],
])('a Secret value that is %s and rejected in another object is in no condition and no Event', async (_, word) => {
  await using cluster = await startCluster({ definitions: [definition] })
  cluster.run(doors)
  await cluster.create(Secret, { metadata: { name: 'key' }, data: { word: btoa(word) } })
  await cluster.create(Door, { metadata: { name: 'front' }, spec: { key: 'key' } })
  await cluster.advance(30_000)
  const told: readonly (LiveObject | undefined)[] = [
    await cluster.find(Door, 'default/front'),
    ...(await cluster.list(Event)),
  ]
  expect(JSON.stringify(told)).toContain('Unsupported value: \\"[redacted]\\"')
  for (const text of [word, btoa(word)]) expect(JSON.stringify(told)).not.toContain(text)
  expect(await cluster.condition(Door, 'default/front', 'Degraded')).toMatchObject({
    status: 'True',
    reason: 'Invalid',
  })
})
