// In-process API server: a log of written objects and a handler that answers requests from it like kube-apiserver.
// Invariant: no sockets, timers or randomness of its own; equal requests, seed and clock give equal answers.
import { type Clock, timestampOf } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import type { Random } from '../base/random.ts'
import { wireJson } from '../base/wire-json.ts'
import { Admission, type AdmissionPlugin } from './admission/admission.ts'
import type { CatalogueEntry } from './built-in/catalogue.ts'
import {
  aggregatedDiscovery,
  coreVersions,
  customEntry,
  etagOf,
  groupDocument,
  groupList,
  resourceList,
} from './discovery.ts'
import { type Endpoint, endpointKey } from './endpoint.ts'
import {
  type Answering,
  type ApiAnswer,
  type ApiRequest,
  inYaml,
  jsonAnswer,
  jsonType,
  refusal,
  textAnswer,
  withWarnings,
} from './exchange.ts'
import { KindFieldManagers } from './kind-field-managers.ts'
import { aggregateTypeOf, checkDocumentForm, checkRoutedDocument, wantsYaml } from './negotiation.ts'
import { ObjectDeletes } from './object-deletes.ts'
import { ObjectIndex } from './object-index.ts'
import { ObjectLog } from './object-log.ts'
import { ObjectWrites } from './object-writes.ts'
import type { OpenApi } from './open-api.ts'
import type { StrategicMerge } from './patch-object.ts'
import { checkLength } from './request-body.ts'
import { type RequestInfo, requestInfoOf } from './request-info.ts'
import { ResourceHandler } from './resource-handler.ts'
import { ResourceRegistry } from './resource-registry.ts'
import type { ResourceRequest } from './resource-request.ts'
import { checkRoute } from './route.ts'
import { methodNotAllowed, noSuchPage, noSuchPath, StatusError } from './status-error.ts'
import type { ServedResource } from './strategy.ts'
import { SystemClient } from './system-client.ts'
import { systemUser, type User } from './user.ts'
import { WatchHub } from './watch-hub.ts'

/** Authentication and authorization of requests. */
export interface Access {
  /**
   * Returns the user of the request, or the impersonated user.
   * Throws StatusError: 401, or 403 if the user may not impersonate.
   */
  authenticate(request: ApiRequest, info: RequestInfo): User
  /** Throws StatusError (403). */
  authorize(user: User, info: RequestInfo): void
}

export interface ApiServerOptions {
  readonly clock: Clock
  readonly random: Random
  /** Built-in kinds that the server serves. */
  readonly resources: readonly ServedResource[]
  readonly catalogue: readonly CatalogueEntry[]
  /** Default: every request runs as the system user. */
  readonly access?: Access
  readonly admission?: readonly AdmissionPlugin[]
  readonly strategicMergeOf?: (resource: ServedResource) => StrategicMerge | undefined
  readonly log?: ObjectLog
  /** Returns a protobuf body as JSON, or undefined for a kind without protobuf. Throws StatusError (400). */
  readonly readProtobuf?: (body: Uint8Array) => JsonObject | undefined
  /** OpenAPI documents of the built-in kinds. */
  readonly openApi?: OpenApi
  /** Version that `/version` reports, e.g. `v1.36.3`. */
  readonly gitVersion?: string
}

const everybody: Access = { authenticate: () => systemUser, authorize: () => {} }
const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz'])

export class ApiServer implements Answering {
  readonly log: ObjectLog
  readonly registry: ResourceRegistry
  readonly watches: WatchHub
  readonly writes: ObjectWrites
  readonly deletes: ObjectDeletes
  readonly #options: ApiServerOptions
  readonly #access: Access
  readonly #fieldManagers: KindFieldManagers
  readonly #index: ObjectIndex
  readonly #resources: ResourceHandler
  readonly #endpoints = new Map<string, Endpoint>()

  constructor(options: ApiServerOptions) {
    const { clock, random, strategicMergeOf = () => undefined } = options
    this.#options = options
    this.#access = options.access ?? everybody
    this.log = options.log ?? new ObjectLog()
    this.#index = new ObjectIndex(this.log)
    this.registry = new ResourceRegistry(options.resources)
    this.#fieldManagers = new KindFieldManagers(() => this.registry.all())
    this.watches = new WatchHub({ clock, random, log: this.log })
    const admission = new Admission(options.admission ?? [])
    this.writes = new ObjectWrites({ log: this.log, index: this.#index, clock, random, admission })
    this.deletes = new ObjectDeletes({ log: this.log, clock, admission })
    this.#resources = new ResourceHandler({
      clock,
      log: this.log,
      watches: this.watches,
      writes: this.writes,
      deletes: this.deletes,
      fieldManagers: this.#fieldManagers,
      strategicMergeOf,
      kindOf: (apiVersion, kind) => this.registry.findKind(apiVersion, kind),
    })
  }

  /** Registers an endpoint that does not serve stored objects, under a key of endpointKey. */
  serve(key: string, endpoint: Endpoint): void {
    this.#endpoints.set(key, endpoint)
  }

  /** Returns a client for the server's own components, which writes as the field manager `manager`. */
  systemClient(manager: string): SystemClient {
    const { log, registry, writes, deletes } = this
    const fieldManagers = this.#fieldManagers
    const timestamp = () => timestampOf(this.#options.clock)
    return new SystemClient({
      log,
      index: this.#index,
      registry,
      writes,
      deletes,
      fieldManagers,
      manager,
      user: systemUser,
      timestamp,
    })
  }

  /** Answers one request. Answers a StatusError with its Status; rejects with any other error. */
  async answer(request: ApiRequest): Promise<ApiAnswer> {
    const warnings: string[] = []
    try {
      const info = requestInfoOf(request.method, request.path, request.query)
      checkLength(request)
      const user = this.#access.authenticate(request, info)
      this.#access.authorize(user, info)
      const answer = withWarnings(await this.#route(request, { info, user, warnings }), warnings)
      const form = info.isResourceRequest ? 'objects' : 'document'
      return wantsYaml(request.header('accept'), form) ? inYaml(answer) : answer
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown
      const answer = withWarnings(refusal(thrown), warnings)
      return wantsYaml(request.header('accept'), 'refusal') ? inYaml(answer) : answer
    }
  }

  async #route(
    asked: ApiRequest,
    { info, user, warnings }: Pick<ResourceRequest, 'info' | 'user' | 'warnings'>,
  ): Promise<ApiAnswer> {
    if (!info.isResourceRequest) return this.#document(asked)
    const request = this.#inJson(asked)
    const endpoint = this.#endpoints.get(endpointKey(info))
    if (endpoint !== undefined) {
      if (!endpoint.verbs.includes(info.verb)) throw methodNotAllowed()
      return endpoint.handle({ request, info, user })
    }
    const resource = this.registry.find(info, info.resource)
    if (resource === undefined) throw this.#isBuiltInGroup(info) ? noSuchPath() : noSuchPage()
    checkRoute(resource, info, asked.method)
    const scoped = resource.isNamespaced ? info : { ...info, namespace: '' }
    const authorizeCreate = () => this.#access.authorize(user, { ...info, verb: 'create' })
    return this.#resources.handle({ request, info: scoped, resource, user, warnings, authorizeCreate })
  }

  /** Returns the request with a protobuf body converted to JSON. Other requests stay the same. */
  #inJson(request: ApiRequest): ApiRequest {
    const object = request.bytes && this.#options.readProtobuf?.(request.bytes)
    if (object === undefined) return request
    const header = (name: string) => (name === 'content-type' ? jsonType : request.header(name))
    return { ...request, header, body: wireJson(object) }
  }

  #isBuiltInGroup({ group }: Pick<RequestInfo, 'group'>): boolean {
    return this.#options.catalogue.some((entry) => entry.group === group)
  }

  /** Returns whether the path is routed by method too. Other documents answer every method. */
  #isRouted(path: string): boolean {
    if (path === '/version' || path === '/api') return true
    return this.#options.catalogue.some(({ group, version }) =>
      group === '' ? path === `/api/${version}` : path === `/apis/${group}/${version}`,
    )
  }

  /** Answers non-object paths: discovery, OpenAPI, health, version. */
  #document(request: ApiRequest): ApiAnswer {
    const [root = '', group = '', version = '', ...more] = request.path.split('/').filter((step) => step !== '')
    if (request.path.includes('//')) throw noSuchPage()
    const path = request.path.replace(/\/$/, '')
    if (healthPaths.has(request.path)) return textAnswer(200, 'ok', 'text/plain; charset=utf-8')
    if (root === 'openapi' && this.#options.openApi !== undefined) return this.#options.openApi.answer(request)
    const isRouted = this.#isRouted(path)
    if (request.method !== 'GET' && isRouted) throw methodNotAllowed()
    const accept = request.header('accept')
    if (isRouted) checkRoutedDocument(accept, path)
    if (path === '/version') return jsonAnswer(200, this.#version())
    if (more.length > 0) throw noSuchPage()
    const entries = this.#entries()
    const aggregateType = aggregateTypeOf(accept)
    if (group === '' && aggregateType !== undefined && (root === 'api' || root === 'apis'))
      return this.#aggregate(request, aggregatedDiscovery(entries, root === 'api'), aggregateType)
    const document =
      root === 'api'
        ? coreDocument(entries, { version: group, isDeeper: version !== '', host: request.header('host') ?? '' })
        : root === 'apis'
          ? groupedDocument(entries, group, version)
          : undefined
    const isBuiltIn = root === 'api' || (root === 'apis' && this.#isBuiltInGroup({ group }))
    if (document === undefined) throw isBuiltIn ? noSuchPath() : noSuchPage()
    checkDocumentForm(accept)
    return jsonAnswer(200, document)
  }

  #aggregate(request: ApiRequest, document: JsonObject, type: string): ApiAnswer {
    const etag = etagOf(document)
    const headers = {
      etag,
      vary: 'Accept',
      'content-type': `${type};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    }
    if (request.header('if-none-match') === etag) return { status: 304, headers, warnings: [], body: '' }
    const answer = jsonAnswer(200, document)
    const { body } = type === jsonType ? answer : inYaml(answer)
    return { ...answer, headers, body }
  }

  #entries(): readonly CatalogueEntry[] {
    const custom = this.registry.all().filter(({ isCustom }) => isCustom)
    return [...this.#options.catalogue, ...custom.map(customEntry)]
  }

  #version() {
    const gitVersion = this.#options.gitVersion ?? 'v1.36.3'
    const [major = '', minor = ''] = gitVersion.replace(/^v/, '').split('.')
    return {
      major,
      minor,
      gitVersion,
      gitCommit: '',
      gitTreeState: '',
      buildDate: '',
      goVersion: '',
      compiler: 'konverge',
      platform: '',
    }
  }
}

interface CorePath {
  readonly version: string
  readonly isDeeper: boolean
  readonly host: string
}

function coreDocument(
  entries: readonly CatalogueEntry[],
  { version, isDeeper, host }: CorePath,
): JsonObject | undefined {
  if (version === '') return coreVersions(host)
  return isDeeper ? undefined : resourceList(entries, '', version)
}

function groupedDocument(entries: readonly CatalogueEntry[], group: string, version: string): JsonObject | undefined {
  if (group === '') return groupList(entries)
  return version === '' ? groupDocument(entries, group) : resourceList(entries, group, version)
}
