// Control plane in one process: API server with built-in kinds, access control and admission, controllers, and the
// objects that every new cluster has.
import { type Clock, timestampOf } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import type { Random } from '../base/random.ts'
import { AccessControl } from './access/access-control.ts'
import { reviewEndpoints } from './access/access-reviews.ts'
import { tokenEndpoint } from './access/token-endpoint.ts'
import { definitionLifecycle } from './admission/definition-lifecycle.ts'
import { escalationGuard } from './admission/escalation-guard.ts'
import { type UsualAdmissionOptions, usualAdmission } from './admission/usual-admission.ts'
import { ApiServer } from './api-server.ts'
import { keepBootstrapObjects } from './bootstrap-objects.ts'
import { BuiltInDataLoader } from './built-in/built-in-data-loader.ts'
import { builtInCatalogue } from './built-in/catalogue.ts'
import { coreResources } from './built-in/core-kinds.ts'
import { groupResources } from './built-in/group-kinds.ts'
import { readProtobuf } from './built-in/protobuf-body.ts'
import { servedKind } from './built-in/served-kind.ts'
import { WireError } from './built-in/wire-message.ts'
import { ClusterRoleAggregator } from './controllers/cluster-role-aggregator.ts'
import { controllerChoice } from './controllers/controller-choice.ts'
import { ControllerHost, type ServerController } from './controllers/controller-host.ts'
import { DefinitionController } from './controllers/definition-controller.ts'
import { GarbageCollector } from './controllers/garbage-collector.ts'
import { KubernetesService, kubernetesService } from './controllers/kubernetes-service.ts'
import { misplacedOwnerReport } from './controllers/misplaced-owner.ts'
import { NamespaceDeleter } from './controllers/namespace-deleter.ts'
import { simulatedNode } from './controllers/workloads/simulated-nodes.ts'
import { workloadControllers } from './controllers/workloads/workload-controllers.ts'
import { definitionRules } from './custom/definition-strategy.ts'
import { LogCompactor } from './log-compactor.ts'
import { metadataText } from './metadata.ts'
import { ObjectLog } from './object-log.ts'
import { OpenApi, type OpenApiDocument } from './open-api.ts'
import { customDocuments } from './openapi/custom-documents.ts'
import { applyStrategicMergePatch } from './patch/strategic-merge.ts'
import { unstructuredFault } from './patch/unstructured-fault.ts'
import { podEndpoints } from './pod-endpoints.ts'
import { type Kubelets, podLogEndpoint } from './pod-log.ts'
import { badRequest } from './status-error.ts'
import type { ServedResource } from './strategy.ts'
import type { SystemClient } from './system-client.ts'
import type { User } from './user.ts'

export interface ClusterOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log?: ObjectLog
  /** Users by static bearer token. */
  readonly tokens?: ReadonlyMap<string, User>
  /** Names of the controllers to run, in the syntax of `controllerChoice`. Default: all. */
  readonly controllers?: readonly string[]
  readonly data?: BuiltInDataLoader
  /** Number of nodes with simulated pods that exist at the start. Default: 0. */
  readonly simulatedNodes?: number
  /** CA certificates in PEM that pods trust. Default: ''. */
  readonly rootCertificate?: string
  /** Key that signs service account tokens. Default: a random key, so that tokens end with the cluster. */
  readonly tokenKey?: string
  /** Client of the nodes' kubelets. Absent: pod logs cannot be read. */
  readonly kubelets?: Kubelets
}

/** Immutable data, shared by all clusters of the process so that each file is read once. */
const packagedData = new BuiltInDataLoader()

/**
 * Disables admission that depends on a controller that does not run.
 * Without service accounts, for example, admission could not create a pod.
 */
function promises(words: readonly string[]): Omit<UsualAdmissionOptions, 'random'> {
  const runs = (...names: readonly string[]) => controllerChoice(words, names).chosen.length === names.length
  return {
    hasServiceAccounts: runs('serviceaccount-controller'),
    hasNodeLifecycle: runs('node-lifecycle-controller'),
    hasStorageProtection: runs('persistentvolumeclaim-protection-controller', 'persistentvolume-protection-controller'),
  }
}

export class Cluster {
  readonly server: ApiServer
  /** Names of all known controllers, including those that do not run. */
  readonly controllerNames: readonly string[]
  readonly #hosts: readonly ControllerHost[]
  readonly #compactor: LogCompactor

  constructor(options: ClusterOptions) {
    const { clock, random, tokens = new Map(), data = packagedData, log = new ObjectLog() } = options
    const { tokenKey = random.uuid() } = options
    const chosenControllers = options.controllers ?? ['*']
    const promised = promises(chosenControllers)
    const access = new AccessControl({ clock, log, tokens, tokenKey })
    const resources = [...coreResources(data), ...groupResources(data), definitionResource(data)]
    const isServed = ({ group, version, plural }: { group: string; version: string; plural: string }) =>
      resources.some((one) => one.group === group && one.version === version && one.plural === plural)
    this.server = new ApiServer({
      clock,
      random,
      log,
      resources,
      catalogue: builtInCatalogue.filter((entry) => !entry.verbs.includes('get') || isServed(entry)),
      access,
      admission: [definitionLifecycle, ...usualAdmission({ random, ...promised }), escalationGuard],
      openApi: new OpenApi({
        documents: openApiDocuments(resources, data),
        custom: customDocuments(log, () => data.customTemplates()),
        whole: (form) => data.wholeOpenApi(form),
      }),
      readProtobuf: (body) => protobufBody(body, data),
      strategicMergeOf: (resource) => {
        const kind = resource.isCustom ? undefined : data.kind(resource)
        if (kind === undefined) return undefined
        return {
          merge: (original, patch) => applyStrategicMergePatch(original, patch, kind.type),
          faultOf: (merged) => unstructuredFault(kind.type, merged),
        }
      },
    })
    const endpoints = [
      ...reviewEndpoints({ access, view: log, timestamp: () => timestampOf(clock) }),
      ...podEndpoints({ client: this.server.systemClient('kube-apiserver'), timestamp: () => timestampOf(clock) }),
      podLogEndpoint({ client: this.server.systemClient('kube-apiserver'), kubelets: options.kubelets }),
      tokenEndpoint({ clock, random, view: log, tokenKey }),
    ]
    for (const [key, endpoint] of endpoints) this.server.serve(key, endpoint)
    const timestamp = () => timestampOf(clock)
    const apiServer = this.server.systemClient('kube-apiserver')
    const definitions = new DefinitionController({
      client: apiServer,
      closeWatches: (shelf) => this.server.watches.closeShelf(shelf),
      timestamp,
    })
    const named = controllersOf({ ...options, clientOf: (manager) => this.server.systemClient(manager) })
    this.controllerNames = named.map(({ name }) => name)
    const { chosen } = controllerChoice(chosenControllers, this.controllerNames)
    const controllers = named.filter(({ name }) => chosen.includes(name))
    this.#hosts = [
      // These belong to the API server, so the controller choice does not apply.
      new ControllerHost({ clock, log, controllers: [definitions, new KubernetesService(apiServer)] }),
      new ControllerHost({ clock, log, controllers }),
    ]
    bootstrap(apiServer, {
      simulatedNodes: options.simulatedNodes ?? 0,
      hasServiceAccounts: promised.hasServiceAccounts,
    })
    keepBootstrapObjects(data.bootstrapObjects(), { log, random, client: apiServer, timestamp: timestamp() })
    this.server.watches.begin()
    this.#compactor = new LogCompactor({ clock, log })
    this.#compactor.start()
    for (const host of this.#hosts) host.start()
  }

  /** Ends the controllers and the open watches. */
  stop(): void {
    this.#compactor.stop()
    for (const host of this.#hosts) host.stop()
    this.server.watches.close()
  }
}

interface ControllerFacts extends Pick<ClusterOptions, 'clock' | 'rootCertificate'> {
  readonly clientOf: (manager: string) => SystemClient
}

function controllersOf({ clock, rootCertificate = '', clientOf }: ControllerFacts): readonly ServerController[] {
  const client = clientOf('kube-controller-manager')
  return [
    new GarbageCollector({ client, onMisplacedOwner: misplacedOwnerReport({ client, clock }) }),
    new NamespaceDeleter(client, () => timestampOf(clock)),
    new ClusterRoleAggregator(clientOf('clusterrole-aggregation-controller')),
    ...workloadControllers({ clock, clientOf, rootCertificate }),
  ]
}

const firstNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']
const standardClass: JsonObject = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'konverge.dev/local',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
}

interface Beginnings {
  readonly simulatedNodes: number
  readonly hasServiceAccounts: boolean
}

/** Creates the objects of a new cluster. */
function bootstrap(client: SystemClient, { simulatedNodes, hasServiceAccounts }: Beginnings): void {
  const objects: readonly (readonly [apiVersion: string, kind: string, objects: readonly JsonObject[]])[] = [
    ['v1', 'Namespace', firstNamespaces.map((name) => ({ metadata: { name } }))],
    ['v1', 'Service', [kubernetesService]],
    // Created here so that clients can create pods before the controller runs.
    ...(hasServiceAccounts
      ? [['v1', 'ServiceAccount', [{ metadata: { name: 'default', namespace: 'default' } }]] as const]
      : []),
    ['storage.k8s.io/v1', 'StorageClass', [standardClass]],
    ['v1', 'Node', Array.from({ length: simulatedNodes }, (_, index) => simulatedNode(index))],
  ]
  for (const [apiVersion, kind, wanted] of objects) {
    const resource = client.resource(apiVersion, kind)
    if (resource !== undefined)
      for (const object of wanted) client.ensure(resource, metadataText(object, 'namespace'), object)
  }
}

function openApiDocuments(resources: readonly ServedResource[], data: BuiltInDataLoader): readonly OpenApiDocument[] {
  const versions = new Map(resources.map(({ group, version }) => [`${group}/${version}`, { group, version }]))
  return [...versions.values()].map(({ group, version }) => ({
    name: group === '' ? `api/${version}` : `apis/${group}/${version}`,
    text: () => data.openApiText(group, version),
  }))
}

function protobufBody(body: Uint8Array, data: BuiltInDataLoader): JsonObject | undefined {
  try {
    return readProtobuf(body, (kind) => data.kind(kind)?.type)
  } catch (thrown) {
    if (thrown instanceof WireError) throw badRequest(`the body is no object in protocol buffers: ${thrown.message}`)
    throw thrown
  }
}

function definitionResource(data: BuiltInDataLoader): ServedResource {
  const name = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' }
  return servedKind(data, { name, rules: definitionRules })
}
