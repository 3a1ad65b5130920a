// Story of the manifests of a construct: an API server accepts the golden manifests and returns them unchanged.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../src/object/object.ts'
import { kindOf } from '../e2e/story-kinds.ts'
import type { Ask } from './asking.ts'

/** `samples` are names of files in test/golden. Their namespace exists. */
export function describeManifests(construct: string, samples: readonly string[], ask: Ask): void {
  describe(`the manifests of ${construct}`, () => {
    it.each(samples)(
      'for %s are accepted with strict validation, and a second apply changes nothing',
      async (sample) => {
        const text = await readFile(`test/golden/${sample}.k8s.yaml`, 'utf8')
        const objects: readonly KubeObject[] = parseAllDocuments(text).map((document) => document.toJS())
        const versions = async () => {
          const applied = []
          for (const object of objects) applied.push(await apply(object))
          return applied.map(({ metadata }) => `${metadata.name} ${metadata.generation} ${metadata.resourceVersion}`)
        }
        expect(await versions()).toEqual(await versions())
      },
    )

    it.each(samples)('for %s have pods that a namespace with the restricted level admits', async (sample) => {
      const text = await readFile(`test/golden/${sample}.k8s.yaml`, 'utf8')
      const manifests = parseAllDocuments(text).map((document) => document.toJS())
      const { template } = manifests.find(({ kind }) => kind === 'StatefulSet').spec
      const name = `restricted-${sample}`
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
      await ask('POST', '/api/v1/namespaces', { metadata: { name, labels } })
      // For servers without the controller that creates it.
      await ask('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } })
      const volumes = [...(template.spec.volumes ?? []), { name: 'data', emptyDir: {} }]
      const spec = { ...template.spec, volumes, serviceAccountName: 'default' }
      const answer = await ask('POST', `/api/v1/namespaces/${name}/pods?dryRun=All`, { metadata: { name }, spec })
      expect(answer.message).toBe('')
      expect(answer.status).toBe(201)
    })
  })

  async function apply(object: KubeObject) {
    const { apiVersion, kind, metadata } = object
    const api = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const path = `${api}/namespaces/${metadata.namespace}/${kindOf(kind).plural}/${metadata.name}`
    const { object: applied, message } = await ask('PATCH', `${path}?fieldManager=test&fieldValidation=Strict`, object)
    expect(message).toBe('')
    return applied
  }
}
