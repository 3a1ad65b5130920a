// Write requests: creates, updates, patches, applies and deletes, each by the steps of its kind.
// Invariant: synchronous from the read of the live object to the commit.
import { type Clock, timestampOf } from '../base/clock.ts'
import type { JsonObject } from '../base/json.ts'
import { decodeObject } from './decode-object.ts'
import { deleteOptionsOf } from './delete-options.ts'
import { type ApiAnswer, jsonAnswer, jsonType, textAnswer } from './exchange.ts'
import type { KindFieldManagers } from './kind-field-managers.ts'
import { listOptionsOf } from './list-options.ts'
import { objectText } from './merge/field-manager.ts'
import { metadataText, withMetadata } from './metadata.ts'
import type { ObjectDeletes } from './object-deletes.ts'
import { listText, type OutputForm, oneText, outputFormOf, wholeText } from './object-form.ts'
import type { ObjectLog } from './object-log.ts'
import { listPage } from './object-reads.ts'
import { groupResourceOf, type ObjectWrites, type WriteScope, type Written } from './object-writes.ts'
import { patchObject, patchTypeOf, type StrategicMerge } from './patch-object.ts'
import { scopeOf } from './read-handler.ts'
import { applyDigest, RepeatedApplies } from './repeated-applies.ts'
import { bodyTypeOf, parseObject } from './request-body.ts'
import type { RequestInfo } from './request-info.ts'
import type { ResourceRequest } from './resource-request.ts'
import { decodeScale, readScale, scaleToChange, writtenScale } from './scale-endpoint.ts'
import {
  badRequest,
  conflict,
  forbiddenRequest,
  methodNotAllowed,
  notFound,
  plainError,
  StatusError,
} from './status-error.ts'
import { type Decoded, type ServedResource, stepsOf } from './strategy.ts'
import { type WriteOptions, writeOptionsOf } from './write-options.ts'

export interface WriteHandlerOptions {
  readonly clock: Clock
  readonly log: ObjectLog
  readonly writes: ObjectWrites
  readonly deletes: ObjectDeletes
  readonly fieldManagers: KindFieldManagers
  readonly kindOf: (apiVersion: string, kind: string) => ServedResource | undefined
  readonly strategicMergeOf: (resource: ServedResource) => StrategicMerge | undefined
}

export class WriteHandler {
  readonly #options: WriteHandlerOptions
  readonly #repeated = new RepeatedApplies()

  constructor(options: WriteHandlerOptions) {
    this.#options = options
  }

  create(asked: ResourceRequest): ApiAnswer {
    const { request, info, resource } = asked
    const output = outputFormOf(request.header('accept'), null)
    bodyTypeOf(request.header('content-type'))
    const options = writeOptionsOf(request.query, 'CreateOptions')
    const object = this.#decode(asked, options)
    const placed = inNamespace(object, resource, info.namespace)
    const created = this.#options.writes.create(this.#scope(asked, options), placed)
    return this.#one(201, resource, created, output)
  }

  update(asked: ResourceRequest): ApiAnswer {
    const { request, info, resource, warnings } = asked
    const output = outputFormOf(request.header('accept'), null)
    const options = writeOptionsOf(request.query, 'UpdateOptions')
    if (info.subresource === 'scale') {
      const { value } = parseObject(
        request.body,
        bodyTypeOf(request.header('content-type')),
        "couldn't get version/kind; json parse error",
      )
      const { object, strictErrors } = decodeScale(value)
      if (options.fieldValidation === 'Strict' && strictErrors.length > 0)
        throw badRequest(
          `Scale in version "v1" cannot be handled as a Scale: strict decoding error: ${strictErrors.join(', ')}`,
        )
      if (options.fieldValidation === 'Warn') warnings.push(...strictErrors)
      const scale = inNamespace(object, resource, info.namespace)
      checkName(scale, info)
      return this.#writeScale(asked, { options, output, change: () => scale })
    }
    const object = inNamespace(this.#decode(asked, options), resource, info.namespace)
    checkName(object, info)
    const uid = metadataText(object, 'uid')
    const written = this.#options.writes.update(
      this.#scope(asked, options),
      (live) => {
        if (live !== undefined && uid !== '' && uid !== metadataText(live, 'uid'))
          throw conflict(
            groupResourceOf(resource),
            info.name,
            failedPrecondition(resource, info, uid, metadataText(live, 'uid')),
          )
        return object
      },
      {
        creates: resource.strategy.createsOnUpdate && info.subresource === '',
        authorizeCreate: asked.authorizeCreate,
        keepsManagedFields: false,
      },
    )
    return this.#written(asked, written, output)
  }

  patch(asked: ResourceRequest): ApiAnswer {
    const { request, info, resource, warnings } = asked
    const type = patchTypeOf(request.header('content-type'), resource)
    if (info.name === '') throw badRequest('name must be provided')
    const output = outputFormOf(request.header('accept'), null)
    const options = writeOptionsOf(request.query, 'PatchOptions', type === 'apply')
    const warn = (text: string) => warnings.push(text)
    if (type === 'apply') return this.#apply(asked, { options, output })
    const decode =
      info.subresource === 'scale' ? decodeScale : (patched: JsonObject) => resource.strategy.decode(patched)
    const patch = (live: JsonObject): JsonObject =>
      patchObject(
        live,
        {
          decode,
          type,
          body: request.body,
          fieldValidation: options.fieldValidation,
          isCustom: resource.isCustom,
          warn,
        },
        this.#options.strategicMergeOf(resource),
      )
    if (info.subresource === 'scale') return this.#writeScale(asked, { options, output, change: patch })
    const written = this.#options.writes.update(
      this.#scope(asked, options),
      (live) => {
        if (live === undefined) throw notFound(groupResourceOf(resource), info.name)
        const patched = inNamespace(patch(live), resource, info.namespace)
        checkName(patched, info)
        return patched
      },
      { creates: false, authorizeCreate: asked.authorizeCreate, keepsManagedFields: false },
    )
    return this.#written(asked, written, output)
  }

  #apply(asked: ResourceRequest, { options, output }: WriteParts): ApiAnswer {
    const { request, info, resource, warnings } = asked
    const scope = this.#scope(asked, options)
    const digest = applyDigest(request.body, info.subresource, options)
    const written = this.#options.writes.update(
      scope,
      (live) => {
        const { value: applied, duplicates } = parseObject(request.body, 'application/yaml', 'error decoding YAML')
        const merged = scope.fieldManager.apply({
          live,
          applied,
          manager: options.fieldManager,
          force: options.force,
          timestamp: timestampOf(this.#options.clock),
        })
        const { strategy } = resource
        const { object, strictErrors } = strategy.decodeApplied?.(merged) ?? asApplied(resource, applied, merged)
        const faults = [...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`), ...strictErrors]
        if (faults.length > 0 && options.fieldValidation === 'Strict')
          throw badRequest(`error strict decoding YAML: ${faults.join(', ')}`)
        if (options.fieldValidation === 'Warn') warnings.push(...faults)
        const uid = metadataText(object, 'uid')
        if (live === undefined && uid !== '')
          throw conflict(
            groupResourceOf(resource),
            info.name,
            `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
          )
        const placed = inNamespace(object, resource, info.namespace)
        checkName(placed, info)
        return placed
      },
      {
        creates: info.subresource === '',
        authorizeCreate: asked.authorizeCreate,
        keepsManagedFields: true,
        isWithoutEffect: (state) => this.#repeated.changesNothing(state, resource, digest),
      },
    )
    if (written.unchanged !== undefined && warnings.length === 0)
      this.#repeated.remember(written.unchanged, resource, digest)
    return this.#written(asked, written, output)
  }

  #writeScale(
    asked: ResourceRequest,
    { options, output, change }: WriteParts & { change: (scale: JsonObject) => JsonObject },
  ): ApiAnswer {
    const { info, resource } = asked
    const written = this.#options.writes.update(
      this.#scope(asked, options),
      (live) => {
        if (live === undefined) throw notFound(groupResourceOf(resource), info.name)
        return writtenScale(resource, live, change(scaleToChange(resource, live)))
      },
      { creates: false, authorizeCreate: asked.authorizeCreate, keepsManagedFields: false },
    )
    return this.#one(200, resource, readScale(resource, written.object), output)
  }

  delete(asked: ResourceRequest): ApiAnswer {
    const { request, info, resource, user, warnings } = asked
    if (info.subresource !== '') throw methodNotAllowed()
    const output = outputFormOf(request.header('accept'), null)
    const options = deleteOptionsOf(request)
    warnings.push(...resource.strategy.warningsOnDelete(options))
    const refused = resource.strategy.refusedDelete?.(info.name)
    if (refused !== undefined) throw forbiddenRequest(groupResourceOf(resource), info.name, refused)
    const scope = { resource, shelf: resource.shelf, namespace: info.namespace, user }
    const { object, isGone } = this.#options.deletes.delete(scope, info.name, options)
    const status = !isGone && options.orphanDependents === false ? 202 : 200
    if (!isGone || resource.strategy.returnsDeletedObject) return this.#one(status, resource, object, output)
    return jsonAnswer(status, successOf(resource, object))
  }

  deleteCollection(asked: ResourceRequest): ApiAnswer {
    const { request, info, resource, user, warnings } = asked
    const output = outputFormOf(request.header('accept'), null)
    const listOptions = listOptionsOf(request.query, resource, false)
    const options = deleteOptionsOf(request)
    warnings.push(...resource.strategy.warningsOnDelete(options))
    const scope = { resource, shelf: resource.shelf, namespace: info.namespace, user }
    const page = listPage(this.#options.log, scopeOf(info, resource), listOptions)
    for (const { place } of page.items)
      this.#options.deletes.delete({ ...scope, namespace: place.namespace }, place.name, options)
    return textAnswer(200, listText(resource, { ...page, nowMs: this.#options.clock.now() }, output), jsonType)
  }

  #decode({ request, resource, warnings }: ResourceRequest, { fieldValidation }: WriteOptions): JsonObject {
    const type = bodyTypeOf(request.header('content-type'))
    const { kindOf } = this.#options
    const warn = (text: string) => warnings.push(text)
    return decodeObject({ resource, body: request.body, type, fieldValidation, kindOf, warn })
  }

  #scope({ request, info, resource, user, warnings }: ResourceRequest, options: WriteOptions): WriteScope {
    return {
      resource,
      shelf: resource.shelf,
      namespace: info.namespace,
      name: info.name,
      subresource: info.subresource,
      steps: stepsOf(resource.strategy, info.subresource),
      fieldManager: this.#options.fieldManagers.of(resource, info.subresource),
      manager: options.fieldManager || managerOf(request.header('user-agent')),
      isDryRun: options.isDryRun,
      user,
      warn: (text) => warnings.push(text),
    }
  }

  #written(
    { resource, info }: ResourceRequest,
    { object, wasCreated, unchanged }: Written,
    output: OutputForm,
  ): ApiAnswer {
    if (unchanged !== undefined && output.form === 'object')
      return answerOf(200, wholeText(resource, unchanged, info.subresource))
    return this.#one(wasCreated ? 201 : 200, resource, object, output)
  }

  #one(status: number, resource: ServedResource, object: JsonObject, output: OutputForm): ApiAnswer {
    return answerOf(status, oneText(resource, object, output, this.#options.clock.now()))
  }
}

/** Decodes the result of an apply for a built-in kind. Throws StatusError (500) with upstream's text. */
function asApplied({ strategy }: ServedResource, applied: JsonObject, merged: JsonObject): Decoded {
  try {
    return strategy.decode(merged)
  } catch (thrown) {
    if (!(thrown instanceof StatusError) || thrown.parts.code !== 400) throw thrown
    const [, type = ''] = objectText(applied).split('; ')
    const why = thrown.message.replace(/^.* cannot be handled as a [^:]*: /, '')
    throw plainError(
      `failed to convert new object (${objectText(applied)}) to proper version: unable to convert unstructured object to ${type}: error decoding from json: ${why}`,
    )
  }
}

function answerOf(status: number, text: string): ApiAnswer {
  return textAnswer(status, `${text}\n`, jsonType)
}

interface WriteParts {
  readonly options: WriteOptions
  readonly output: OutputForm
}

/** Returns the text of upstream's store, which contains the object's etcd key. */
function failedPrecondition(
  { group, plural, isNamespaced, isCustom }: ServedResource,
  { namespace, name }: RequestInfo,
  uid: string,
  liveUid: string,
): string {
  const path = [...(isCustom ? [group] : []), plural, ...(isNamespaced ? [namespace] : []), name].join('/')
  const said = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${liveUid}`
  return `StorageError: invalid object, Code: 4, Key: /registry/${path}, ResourceVersion: 0, AdditionalErrorMsg: ${said}`
}

function inNamespace(object: JsonObject, resource: ServedResource, namespace: string): JsonObject {
  const written = metadataText(object, 'namespace')
  const expected = resource.isNamespaced ? namespace : ''
  if (written === expected) return object
  if (written === '') return withMetadata(object, { namespace: expected })
  if (expected === '') throw badRequest('namespace may not be set on the provided object')
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}

function checkName(object: JsonObject, { name }: RequestInfo): void {
  const written = metadataText(object, 'name')
  if (written === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (written !== name)
    throw badRequest(`the name of the object (${written}) does not match the name on the URL (${name})`)
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/**
 * Returns the field manager of a write that names none: the user agent up to the first slash, printable, at most 128
 * bytes.
 * Returns '' without a user agent; managedFields then say `unknown`.
 * Source: handlers/create.go, prefixFromUserAgent.
 */
function managerOf(userAgent: string | undefined): string {
  let name = ''
  for (const character of (userAgent ?? '').split('/')[0] ?? '') {
    if (!printable.test(character)) continue
    if (Buffer.byteLength(name) + Buffer.byteLength(character) > 128) break
    name += character
  }
  return name
}

function successOf({ group, plural }: ServedResource, object: JsonObject): JsonObject {
  const details = {
    name: metadataText(object, 'name'),
    ...(group === '' ? {} : { group }),
    kind: plural,
    uid: metadataText(object, 'uid'),
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}
