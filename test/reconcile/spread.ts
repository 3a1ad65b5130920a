// A controller with children in three places: its own namespace, the namespace that the page names, and cluster scope.
// Another controller whose newer version no longer declares Secrets.
import { ApiObject, type Chart } from 'cdk8s'
import { ConfigMap, Service, StorageClass } from '../../src/object/built-in.ts'
import type { Controller } from '../../src/reconcile/definition.ts'
import { retain } from '../../src/synth/field-policies.ts'
import { secretText } from '../taint/secret-text.ts'
import { siteController } from './life.ts'

export function spreadController({ isNearLeftOut = false } = {}): Controller {
  return siteController({
    owns: [ConfigMap, { resource: StorageClass, hasStatus: false }],
    desired: (chart, { object: { metadata, spec } }) => {
      const { name } = metadata
      const far = new ApiObject(chart, 'far', { ...configMap, metadata: { name: `${name}-far`, namespace: spec.page } })
      const disk = new ApiObject(chart, 'class', {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: `${name}-disk` },
        provisioner: 'example.dev/disk',
      })
      disk.node.addDependency(far)
      if (isNearLeftOut) return
      far.node.addDependency(new ApiObject(chart, 'near', { ...configMap, metadata: { name: `${name}-near` } }))
    },
  })
}

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } }

/**
 * Version 1 declares pages, a Service, and Secrets: one in the parent's namespace, one elsewhere, and one that is
 * retained.
 */
export function versionOne(): Controller {
  return siteController({
    desired: (chart, { object: { metadata } }) => {
      const { name } = metadata
      const secret = (leaf: string, more = {}) =>
        new ApiObject(chart, leaf, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: `${name}-${leaf}`, ...more },
          stringData: { a: secretText('b') },
        })
      pagesAndService(chart, name).node.addDependency(secret('login'))
      secret('far', { namespace: 'elsewhere' })
      retain(secret('kept'))
    },
  })
}

/** Version 2 has no Secrets. */
export function versionTwo(): Controller {
  return siteController({
    owns: [ConfigMap, Service],
    desired: (chart, { object: { metadata } }) => void pagesAndService(chart, metadata.name),
  })
}

function pagesAndService(chart: Chart, name: string): ApiObject {
  const pages = new ApiObject(chart, 'pages', { ...configMap, metadata: { name: `${name}-pages` } })
  const service = new ApiObject(chart, 'service', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { site: name }, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  })
  service.node.addDependency(pages)
  return pages
}
