// Who answers a request for objects? Its verb decides, once the endpoint is known to exist.
import type { ApiAnswer } from './exchange.ts'
import { checkAccepted } from './negotiation.ts'
import { groupResourceOf } from './object-writes.ts'
import { ReadHandler, type ReadHandlerOptions } from './read-handler.ts'
import type { ResourceRequest } from './resource-request.ts'
import { methodNotAllowed, verbNotSupported } from './status-error.ts'
import { WriteHandler, type WriteHandlerOptions } from './write-handler.ts'

export type ResourceHandlerOptions = ReadHandlerOptions & WriteHandlerOptions

/** What may be done with the status or the scale of a custom object. */
const belowObjects: ReadonlySet<string> = new Set(['get', 'update', 'patch'])

export class ResourceHandler {
  readonly #reads: ReadHandler
  readonly #writes: WriteHandler

  constructor(options: ResourceHandlerOptions) {
    this.#reads = new ReadHandler(options)
    this.#writes = new WriteHandler(options)
  }

  /** Throws StatusError for a refusal. */
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
        // At the path of a custom object a creation counts for its collection.
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
