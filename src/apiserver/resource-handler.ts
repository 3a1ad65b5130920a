// Dispatch of requests for objects by verb, after the router has checked that the endpoint exists.
import type { ApiAnswer } from './exchange.ts'
import { checkAccepted } from './negotiation.ts'
import { groupResourceOf } from './object-writes.ts'
import { ReadHandler, type ReadHandlerOptions } from './read-handler.ts'
import type { ResourceRequest } from './resource-request.ts'
import { methodNotAllowed, verbNotSupported } from './status-error.ts'
import { WriteHandler, type WriteHandlerOptions } from './write-handler.ts'

export type ResourceHandlerOptions = ReadHandlerOptions & WriteHandlerOptions

/** Verbs that the subresources of custom objects support. */
const belowObjects: ReadonlySet<string> = new Set(['get', 'update', 'patch'])

export class ResourceHandler {
  readonly #reads: ReadHandler
  readonly #writes: WriteHandler

  constructor(options: ResourceHandlerOptions) {
    this.#reads = new ReadHandler(options)
    this.#writes = new WriteHandler(options)
  }

  /** Answers a request. Throws StatusError to reject it. */
  async handle(asked: ResourceRequest): Promise<ApiAnswer> {
    const { request, info, resource } = asked
    checkAccepted(resource, info.verb, request.header('accept'))
    if (resource.isCustom && info.subresource !== '' && !belowObjects.has(info.verb))
      throw verbNotSupported(groupResourceOf(resource), info.verb)
    switch (info.verb) {
      case 'get':
        return this.#reads.get(asked)
      case 'list':
        return this.#reads.list(asked)
      case 'watch':
        return this.#reads.watch(asked)
      case 'create':
        // A POST to the path of a custom object creates in its collection.
        if (info.name !== '' && !resource.isCustom) throw methodNotAllowed()
        return this.#writes.create(asked)
      case 'update':
        return this.#writes.update(asked)
      case 'patch':
        return this.#writes.patch(asked)
      case 'delete':
        return this.#writes.delete(asked)
      case 'deletecollection':
        return this.#writes.deleteCollection(asked)
      default:
        throw methodNotAllowed()
    }
  }
}
