// Default objects of each namespace: the ServiceAccount "default" and the ConfigMap kube-root-ca.crt. Deleted ones are
// recreated.
// Sources: k8s.io/kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go,
// pkg/controller/certificates/rootcacertpublisher.
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { valueAt } from '../../built-in/field-walk.ts'
import { isTerminating } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { StatusError } from '../../status-error.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { KindClient } from './kind-client.ts'
import { isNamespaceGoing } from './pod-maker.ts'

const rootCaName = 'kube-root-ca.crt'
const rootCaDescription =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

export class ServiceAccountController implements ServerController {
  readonly name = 'serviceaccount-controller'
  readonly #namespaces: KindClient
  readonly #accounts: KindClient

  constructor(client: SystemClient) {
    this.#namespaces = new KindClient(client, 'v1', 'Namespace')
    this.#accounts = new KindClient(client, 'v1', 'ServiceAccount')
  }

  keysFor(entry: LogEntry): readonly string[] {
    return namespacesOf(entry, { shelf: 'serviceaccounts', name: 'default' })
  }

  reconcile(namespace: string): undefined {
    if (!isOpen(this.#namespaces, namespace) || this.#accounts.get(namespace, 'default') !== undefined) return
    unlessGoing(() => this.#accounts.create(namespace, { metadata: { name: 'default', namespace } }))
  }
}

export class RootCaPublisher implements ServerController {
  readonly name = 'root-ca-certificate-publisher-controller'
  readonly #namespaces: KindClient
  readonly #maps: KindClient
  readonly #certificate: string

  /** `certificate` is a PEM bundle; '' if the server speaks plain HTTP. */
  constructor(client: SystemClient, certificate: string) {
    this.#namespaces = new KindClient(client, 'v1', 'Namespace')
    this.#maps = new KindClient(client, 'v1', 'ConfigMap')
    this.#certificate = certificate
  }

  keysFor(entry: LogEntry): readonly string[] {
    return namespacesOf(entry, { shelf: 'configmaps', name: rootCaName })
  }

  reconcile(namespace: string): undefined {
    if (!isOpen(this.#namespaces, namespace)) return
    const data: JsonObject = { 'ca.crt': this.#certificate }
    const live = this.#maps.get(namespace, rootCaName)
    if (live === undefined) {
      const annotations = { 'kubernetes.io/description': rootCaDescription }
      unlessGoing(() => this.#maps.create(namespace, { metadata: { name: rootCaName, namespace, annotations }, data }))
    } else if (!deepEqual(valueAt(live, 'data'), data)) this.#maps.update(live, (map) => ({ ...map, data }))
  }
}

/** Returns the namespace that changed, or whose default object changed. */
function namespacesOf(
  { place, kind, before }: LogEntry,
  { shelf, name }: { readonly shelf: string; readonly name: string },
): readonly string[] {
  if (place.shelf === 'namespaces') return kind !== 'deleted' ? [place.name] : []
  return place.shelf === shelf && place.name === name && before !== undefined ? [place.namespace] : []
}

function isOpen(namespaces: KindClient, name: string): boolean {
  const namespace = namespaces.get('', name)
  return namespace !== undefined && !isTerminating(namespace)
}

function unlessGoing(work: () => void): void {
  try {
    work()
  } catch (thrown) {
    if (!(thrown instanceof StatusError) || !isNamespaceGoing(thrown)) throw thrown
  }
}
