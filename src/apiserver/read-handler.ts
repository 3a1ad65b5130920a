// Read requests: gets and lists from a view of the log, watches as streams.
// Invariant: a request waits only for a revision that the log has not reached.
import type { Clock } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import { type ApiAnswer, type ApiRequest, jsonType, textAnswer } from './exchange.ts'
import { type ListOptions, listOptionsOf } from './list-options.ts'
import { checkStreamForm } from './negotiation.ts'
import { listText, type OutputForm, oneText, outputFormOf, servedObject } from './object-form.ts'
import type { ObjectLog, View } from './object-log.ts'
import { type ListScope, listPage, revisionOf, revisionToWaitFor, tooLargeVersion } from './object-reads.ts'
import { groupResourceOf } from './object-writes.ts'
import { isTrue, type RequestInfo } from './request-info.ts'
import type { ResourceRequest } from './resource-request.ts'
import { readScale } from './scale-endpoint.ts'
import { badRequest, notFound } from './status-error.ts'
import type { ServedResource } from './strategy.ts'
import { errorLine } from './watch-events.ts'
import type { WatchHub } from './watch-hub.ts'

export interface ReadHandlerOptions {
  readonly clock: Clock
  readonly log: ObjectLog
  readonly watches: WatchHub
}

/** Time limit of a read that waits for a future revision. Source: watch_cache.go, blockTimeout. */
const freshnessLimitMs = 3_000

export class ReadHandler {
  readonly #options: ReadHandlerOptions

  constructor(options: ReadHandlerOptions) {
    this.#options = options
  }

  async get({ request, info, resource }: ResourceRequest): Promise<ApiAnswer> {
    if (isTrue(request.query.get('export')))
      throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
    const output = outputFormOf(request.header('accept'), request.query.get('includeObject'))
    await this.#reach(revisionOf(request.query.get('resourceVersion') ?? ''))
    const state = this.#view(request).get({ shelf: resource.shelf, namespace: info.namespace, name: info.name })
    if (state === undefined) throw notFound(groupResourceOf(resource), info.name)
    const object = servedObject(resource, state, info.subresource)
    return this.#one(200, resource, info.subresource === 'scale' ? readScale(resource, object) : object, output)
  }

  async list({ request, info, resource }: ResourceRequest): Promise<ApiAnswer> {
    const { log, clock } = this.#options
    const output = outputFormOf(request.header('accept'), request.query.get('includeObject'))
    const options = listOptionsOf(request.query, resource, false)
    await this.#reach(revisionToWaitFor(options))
    const page = listPage(log, scopeOf(info, resource), options, this.#view(request))
    return textAnswer(200, listText(resource, { ...page, nowMs: clock.now() }, output), jsonType)
  }

  async watch({ request, info, resource }: ResourceRequest): Promise<ApiAnswer> {
    const { log, watches } = this.#options
    const accept = request.header('accept')
    const output = outputFormOf(accept, request.query.get('includeObject'))
    const options = ofName(info, listOptionsOf(request.query, resource, true))
    checkStreamForm(accept)
    const revision = revisionOf(options.resourceVersion)
    const scope = { resource, namespace: scopeOf(info, resource).namespace, options, output }
    const isFromNow = /^0?$/.test(options.resourceVersion) && options.sendsInitialEvents === false
    const headers = { 'content-type': jsonType }
    const stream = (run: NonNullable<ApiAnswer['stream']>): ApiAnswer => ({
      status: 200,
      headers,
      warnings: [],
      body: undefined,
      stream: run,
    })
    // Only a watch with initial events waits for its revision.
    if (options.sendsInitialEvents === true && revision > log.revision && !(await this.#hasReached(revision)))
      return stream((sink) => {
        sink.write(errorLine(tooLargeVersion(revision, log.revision).parts))
        sink.close()
        return () => {}
      })
    const sendsState = options.sendsInitialEvents === true || (revision === 0 && !isFromNow)
    if (!sendsState && revision > 0 && revision < watches.oldestRevision)
      return stream((sink) => {
        const message = `too old resource version: ${revision} (${watches.oldestRevision})`
        sink.write(errorLine({ code: 410, reason: 'Expired', message }))
        sink.close()
        return () => {}
      })
    return stream((sink) =>
      watches.start(
        {
          shelf: resource.shelf,
          scope,
          fromRevision: isFromNow ? log.revision : revision,
          sendsState,
          endsStateWithBookmark: options.sendsInitialEvents === true && options.allowsBookmarks,
          allowsBookmarks: options.allowsBookmarks,
          timeoutSeconds: options.timeoutSeconds,
        },
        sink,
      ),
    )
  }

  #one(
    status: number,
    resource: ServedResource,
    object: JsonObject,
    output: OutputForm,
    warnings: readonly string[] = [],
  ): ApiAnswer {
    const text = oneText(resource, object, output, this.#options.clock.now())
    return textAnswer(status, `${text}\n`, jsonType, { warnings: [...new Set(warnings)] })
  }

  /** Returns the newest view, or an older one for requests that simulate a lagging server. */
  #view({ asOf }: ApiRequest): View {
    const { log } = this.#options
    return asOf === undefined ? log : (log.at(asOf) ?? log)
  }

  /** Waits until the log reaches a revision. Throws StatusError (504) after the time limit. */
  async #reach(revision: number): Promise<void> {
    if (revision <= this.#options.log.revision) return
    if (!(await this.#hasReached(revision))) throw tooLargeVersion(revision, this.#options.log.revision)
  }

  #hasReached(revision: number): Promise<boolean> {
    const { log, clock } = this.#options
    return new Promise((resolve) => {
      const timer = clock.setTimer(freshnessLimitMs, () => {
        stopListening()
        resolve(false)
      })
      const stopListening = log.listen((entry) => {
        if (entry.revision < revision) return
        timer.cancel()
        stopListening()
        resolve(true)
      })
    })
  }
}

/** Limits a watch at an object's path to that object. */
function ofName({ steps }: RequestInfo, options: ListOptions): ListOptions {
  const name = steps[1] ?? ''
  if (name === '') return options
  return { ...options, fields: [...options.fields, { field: 'metadata.name', isNegated: false, value: name }] }
}

export function scopeOf({ namespace }: RequestInfo, resource: ServedResource): ListScope {
  return {
    resource,
    shelf: resource.shelf,
    namespace: namespace === '' || !resource.isNamespaced ? undefined : namespace,
  }
}
