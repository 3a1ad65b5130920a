// Which form of an answer does a client accept, of those that an endpoint has? The first clause of its Accept header that fits.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go, github.com/munnerz/goautoneg.
import { StatusError } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

/** Another kind that the answer is to be turned into. What is not named is empty. */
export interface Conversion {
  readonly kind: string
  readonly group: string
  readonly version: string
}

/** What an endpoint can do for its clients. */
interface Offer {
  /** Undefined: the answer as it is. */
  allows(conversion: Conversion | undefined): boolean
  /** The one value of the parameter `sv`. */
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
/** Objects and lists of them. */
export const objectOffer: Offer = {
  allows: (conversion) =>
    conversion === undefined ||
    (conversion.group === 'meta.k8s.io' &&
      (conversion.version === 'v1' || conversion.version === 'v1beta1') &&
      objectKinds.has(conversion.kind)),
  serverVersion: 'v1',
}
/** Documents and refusals. */
const plainOffer: Offer = { allows: (conversion) => conversion === undefined }
const discoveryOffer: Offer = {
  allows: (conversion) =>
    conversion?.kind === 'APIGroupDiscoveryList' &&
    conversion.group === 'apidiscovery.k8s.io' &&
    conversion.version === 'v2',
}

/** Protocol buffers are named among them, and not given. */
const mediaTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const givenTypes = ['application/json', 'application/yaml'] as const

/** Undefined where nothing of the offer is accepted. */
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

/** The type in which all of discovery is wanted at once; undefined where it is not. */
export function aggregateTypeOf(accept: string | undefined): Accepted['type'] | undefined {
  const accepted = negotiated(accept, discoveryOffer)
  return accepted?.conversion === undefined ? undefined : accepted.type
}

/** Is the answer to be in YAML? Refusals have no form but the plain one, and are in JSON where that is not accepted. */
export function wantsYaml(accept: string | undefined, answer: 'objects' | 'document' | 'refusal'): boolean {
  return negotiated(accept, answer === 'objects' ? objectOffer : plainOffer)?.type === 'application/yaml'
}

/** Throws StatusError (406) where the router of the built-in kinds does, before any handler looks at the form. */
export function checkAccepted({ isCustom }: ServedResource, verb: string, accept: string | undefined): void {
  if (isCustom || isRouted(accept, mediaTypes)) return
  const isStreamed = verb === 'list' || verb === 'watch'
  throw notRepresentable(isStreamed ? [...mediaTypes, ...streamTypes()] : mediaTypes)
}

/** Throws StatusError (406) where the router finds documents by their form too. */
export function checkRoutedDocument(accept: string | undefined, path: string): void {
  const types = path === '/version' ? ['application/json'] : mediaTypes
  if (!isRouted(accept, types)) throw notRepresentable(types)
}

/** Throws StatusError (406) for a form that no document of discovery has. */
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

/** Types, best first, without their parameters. */
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

/** The router knows no qualities and no parameters. */
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

/** The clauses of an Accept header, best first. What is no media type is passed over. */
function clausesOf(accept: string): readonly Clause[] {
  const clauses: Clause[] = []
  for (const part of accept.split(',')) {
    const [head = '', ...rest] = part.split(';').map((piece) => piece.trim())
    const type = head === '*' ? '*/*' : head
    if (!/^[^/]*\/[^/]+$/.test(type)) continue
    clauses.push({ type, ...parametersOf(rest) })
    // As Go's sort does with so few: each goes ahead of its neighbors as long as it is better than they are.
    for (let index = clauses.length - 1; index > 0; index--) {
      const [before, here] = [clauses[index - 1], clauses[index]]
      if (before === undefined || here === undefined || !isBetter(here, before)) break
      clauses.splice(index - 1, 2, here, before)
    }
  }
  return clauses
}

/** A parameter without a value, or with two, does not count; of one that is named twice the last does. */
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

/** The real server's order, which is none: what is named in full goes before a star, whatever its quality. */
function isBetter(left: Clause, right: Clause): boolean {
  const isOpen = ({ type }: Clause) => type.endsWith('/*')
  const isAny = ({ type }: Clause) => type.startsWith('*/')
  return left.quality > right.quality || (!isAny(left) && isAny(right)) || (!isOpen(left) && isOpen(right))
}
