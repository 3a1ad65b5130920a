// Controller of an object with several owners. All VirtualHosts of a namespace share the ConfigMap that a web server
// mounts; each has one file in it. Outside this repository the first import reads: from 'konverge'.
import {
  addObject,
  type Condition,
  ConfigMap,
  coOwn,
  defineController,
  defineResource,
  objectOf,
} from '../../src/index.ts'

interface VirtualHostSpec {
  readonly host: string
  readonly backend: string
}

interface VirtualHostStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

export const VirtualHost = defineResource<VirtualHostSpec, VirtualHostStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'VirtualHost',
  plural: 'virtualhosts',
  scope: 'Namespaced',
})

export const virtualHost = defineController(VirtualHost, {
  owns: [ConfigMap],
  desired: (chart, { object: { spec } }) => {
    const file = `server { server_name ${spec.host}; location / { proxy_pass ${spec.backend}; } }`
    const files = objectOf(ConfigMap, { metadata: { name: 'virtual-hosts' }, data: { [`${spec.host}.conf`]: file } })
    coOwn(addObject(chart, files))
  },
  status: () => ({ fields: {}, conditions: [] }),
})
