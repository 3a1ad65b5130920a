// Content negotiation: the first clause of the Accept header that the endpoint can serve.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go, github.com/munnerz/goautoneg.
import { StatusError } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

/** Kind to which the answer is converted. Absent parameters are ''. */
export interface Conversion {
  readonly kind: string
  readonly group: string
  readonly version: string
}

/** Conversions that an endpoint offers. */
interface Offer {
  /** Returns whether the endpoint offers the conversion; undefined means the unconverted answer. */
  allows(conversion: Conversion | undefined): boolean
  /** The only accepted value of the parameter `sv`. */
  readonly serverVersion?: string
}

export interface Accepted {
  readonly type: 'application/json' | 'application/yaml'
  readonly conversion: Conversion | undefined
}

interface Clause {
  readonly type: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

const objectKinds = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'])
/** Offer for objects and lists. */
export const objectOffer: Offer = {
  allows: (conversion) =>
    conversion === undefined ||
    (conversion.group === 'meta.k8s.io' &&
      (conversion.version === 'v1' || conversion.version === 'v1beta1') &&
      objectKinds.has(conversion.kind)),
  serverVersion: 'v1',
}
/** Offer for documents and errors. */
const plainOffer: Offer = { allows: (conversion) => conversion === undefined }
const discoveryOffer: Offer = {
  allows: (conversion) =>
    conversion?.kind === 'APIGroupDiscoveryList' &&
    conversion.group === 'apidiscovery.k8s.io' &&
    conversion.version === 'v2',
}

/** Types that error texts name. Protobuf is named but never served. */
const mediaTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const givenTypes = ['application/json', 'application/yaml'] as const

/** Returns the accepted type and conversion, or undefined if the header accepts nothing of the offer. */
export function negotiated(accept: string | undefined, offer: Offer): Accepted | undefined {
  if (accept === undefined || accept.trim() === '') return { type: 'application/json', conversion: undefined }
  for (const clause of clausesOf(accept))
    for (const type of givenTypes) {
      if (!covers(clause.type, type)) continue
      const accepted = fitting(clause, type, offer)
      if (accepted !== undefined) return accepted
    }
  return undefined
}

/** Returns the type for aggregated discovery; undefined if the client does not ask for it. */
export function aggregateTypeOf(accept: string | undefined): Accepted['type'] | undefined {
  const accepted = negotiated(accept, discoveryOffer)
  return accepted?.conversion === undefined ? undefined : accepted.type
}

/**
 * Returns whether the client wants YAML.
 * Errors have no conversions; they are JSON if the client accepts neither form.
 */
export function wantsYaml(accept: string | undefined, answer: 'objects' | 'document' | 'refusal'): boolean {
  return negotiated(accept, answer === 'objects' ? objectOffer : plainOffer)?.type === 'application/yaml'
}

/** Throws StatusError (406) where upstream's router of built-in kinds does, before any handler runs. */
export function checkAccepted({ isCustom }: ServedResource, verb: string, accept: string | undefined): void {
  if (isCustom || isRouted(accept, mediaTypes)) return
  const isStreamed = verb === 'list' || verb === 'watch'
  throw notRepresentable(isStreamed ? [...mediaTypes, ...streamTypes()] : mediaTypes)
}

/** Throws StatusError (406) for a document whose route upstream selects by media type too. */
export function checkRoutedDocument(accept: string | undefined, path: string): void {
  const types = path === '/version' ? ['application/json'] : mediaTypes
  if (!isRouted(accept, types)) throw notRepresentable(types)
}

/** Throws StatusError (406) if the client accepts no form of a discovery document. */
export function checkDocumentForm(accept: string | undefined): void {
  if (negotiated(accept, plainOffer) === undefined) throw onlyAccepted()
}

/** Throws StatusError (406) for a watch in a form that cannot be streamed. */
export function checkStreamForm(accept: string | undefined): void {
  if (wantsYaml(accept, 'objects')) throw onlyAccepted(streamTypes())
}

export function onlyAccepted(types: readonly string[] = mediaTypes): StatusError {
  return notAcceptable(`only the following media types are accepted: ${types.join(', ')}`)
}

export function notAcceptable(message: string): StatusError {
  return new StatusError({ code: 406, reason: 'NotAcceptable', message })
}

/** Returns the types of the header without parameters, best first. */
export function acceptedTypes(accept: string): readonly string[] {
  return clausesOf(accept).map(({ type }) => type)
}

export function covers(clauseType: string, type: string): boolean {
  return clauseType === type || clauseType === '*/*' || clauseType === `${type.split('/')[0]}/*`
}

function fitting({ parameters }: Clause, type: Accepted['type'], offer: Offer): Accepted | undefined {
  const stream = parameters.get('stream')
  // Only JSON can be streamed.
  if (stream !== undefined && (stream !== 'watch' || type !== 'application/json')) return undefined
  const serverVersion = parameters.get('sv')
  if (serverVersion !== undefined && serverVersion !== offer.serverVersion) return undefined
  const [kind, group, version] = ['as', 'g', 'v'].map((name) => parameters.get(name))
  const isPlain = kind === undefined && group === undefined && version === undefined
  const conversion = isPlain ? undefined : { kind: kind ?? '', group: group ?? '', version: version ?? '' }
  return offer.allows(conversion) ? { type, conversion } : undefined
}

/** Matches like the router, which ignores qualities and parameters. */
function isRouted(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept.trim() === '') return true
  const clauses = accept.split(',').map((part) => part.split(';')[0]?.trim() ?? '')
  return clauses.some((clause) => types.some((type) => covers(clause, type)))
}

function streamTypes(): readonly string[] {
  return mediaTypes.filter((type) => !type.endsWith('yaml')).map((type) => `${type};stream=watch`)
}

function notRepresentable(types: readonly string[]): StatusError {
  return new StatusError({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`,
    details: {},
  })
}

/** Returns the clauses of an Accept header, best first. Skips clauses that are no media type. */
function clausesOf(accept: string): readonly Clause[] {
  const clauses: Clause[] = []
  for (const part of accept.split(',')) {
    const [head = '', ...rest] = part.split(';').map((piece) => piece.trim())
    const type = head === '*' ? '*/*' : head
    if (!/^[^/]*\/[^/]+$/.test(type)) continue
    clauses.push({ type, ...parametersOf(rest) })
    // Go's sort of a short list is an insertion sort. Equality matters because isBetter is no order.
    for (let index = clauses.length - 1; index > 0; index--) {
      const [before, here] = [clauses[index - 1], clauses[index]]
      if (before === undefined || here === undefined || !isBetter(here, before)) break
      clauses.splice(index - 1, 2, here, before)
    }
  }
  return clauses
}

/** Parses parameters. Drops one without a value or with two; of duplicates the last wins. */
function parametersOf(pieces: readonly string[]): Pick<Clause, 'quality' | 'parameters'> {
  const pairs = pieces.flatMap((piece): [string, string][] => {
    const [name = '', value = '', ...more] = piece.split('=')
    return value === '' || more.length > 0 ? [] : [[name.trim(), value.trim()]]
  })
  const parameters = new Map(pairs)
  const asked = parameters.get('q')
  parameters.delete('q')
  return { quality: asked === undefined ? 1 : Number(asked) || 0, parameters }
}

/** Upstream's comparison, which is no order: full types precede wildcards, whatever their quality. */
function isBetter(left: Clause, right: Clause): boolean {
  const isOpen = ({ type }: Clause) => type.endsWith('/*')
  const isAny = ({ type }: Clause) => type.startsWith('*/')
  return left.quality > right.quality || (!isAny(left) && isAny(right)) || (!isOpen(left) && isOpen(right))
}
