// OpenAPI documents: v3 as an index with one document per group and version, which kubectl reads before it writes.
// The URL of a v3 document contains its hash, so that clients may cache it permanently.
// The v2 document of all kinds serves clients that write lists of objects.
// Source: k8s.io/kube-openapi/pkg/handler3/handler.go and pkg/handler/handler.go.
import { createHash } from 'node:crypto'
import { type ApiAnswer, type ApiRequest, bytesAnswer, jsonType, textAnswer } from './exchange.ts'
import { acceptedTypes, covers } from './negotiation.ts'
import { noSuchPage, noSuchPath } from './status-error.ts'

/** One published document. */
export interface OpenApiDocument {
  /** `api/v1`, `apis/apps/v1`. */
  readonly name: string
  /** Returns the text, loaded on first use; always the same. */
  readonly text: () => string
}

export interface OpenApiOptions {
  readonly documents: readonly OpenApiDocument[]
  /** Returns the documents of custom kinds; the same values while their texts stay the same. */
  readonly custom: () => readonly OpenApiDocument[]
  /** Returns the document of /openapi/v2 in one of its forms. */
  readonly whole: (form: 'json' | 'pb') => Uint8Array
}

const root = '/openapi/v3'
const wholePath = '/openapi/v2'
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const wholeForms = [
  { type: jsonType, form: 'json', sent: jsonType },
  { type: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', form: 'pb', sent: protobufType },
  { type: protobufType, form: 'pb', sent: protobufType },
] as const

export class OpenApi {
  readonly #documents: ReadonlyMap<string, OpenApiDocument>
  readonly #custom: () => readonly OpenApiDocument[]
  readonly #whole: OpenApiOptions['whole']
  readonly #hashes = new WeakMap<OpenApiDocument, string>()
  #wholeHash: string | undefined

  constructor({ documents, custom, whole }: OpenApiOptions) {
    this.#documents = new Map(documents.map((document) => [document.name, document]))
    this.#custom = custom
    this.#whole = whole
  }

  /** Answers a GET below /openapi. Throws StatusError (404). */
  answer({ path, query, header }: ApiRequest): ApiAnswer {
    if (path === wholePath) return this.#wholeAnswer(header('accept'), header('if-none-match'))
    if (!path.startsWith(root)) throw noSuchPage()
    if (path === root || path === `${root}/`) return this.#index(header('if-none-match'))
    const name = path.slice(root.length + 1)
    const document = this.#documents.get(name) ?? this.#custom().find((one) => one.name === name)
    if (document === undefined) throw noSuchPath()
    if (!takesJson(header('accept'))) return { status: 406, headers: { vary: 'Accept' }, warnings: [], body: '' }
    const hash = this.#hashOf(document)
    const [asked, etag] = [query.get('hash') ?? '', `"${hash}"`]
    const vary = { vary: 'Accept', etag }
    if (asked !== '' && asked !== hash)
      return { status: 301, headers: { ...vary, location: addressOf(document.name, hash) }, warnings: [], body: '' }
    const headers = { ...vary, ...(asked === '' ? {} : { 'cache-control': 'public, immutable' }) }
    if (header('if-none-match') === etag) return { status: 304, headers, warnings: [], body: '' }
    return textAnswer(200, document.text(), jsonType, { headers })
  }

  #index(known: string | undefined): ApiAnswer {
    const paths = [...this.#documents.values(), ...this.#custom()]
      .map(
        (document) => [document.name, { serverRelativeURL: addressOf(document.name, this.#hashOf(document)) }] as const,
      )
      .sort(([left], [right]) => (left < right ? -1 : 1))
    const text = JSON.stringify({ paths: Object.fromEntries(paths) })
    const headers = { etag: `"${hashOf(text)}"` }
    if (known === headers.etag) return { status: 304, headers, warnings: [], body: '' }
    // Upstream lets Go detect the content type.
    return textAnswer(200, text, 'text/plain; charset=utf-8', { headers })
  }

  #wholeAnswer(accept: string | undefined, known: string | undefined): ApiAnswer {
    const [found] = askedTypes(accept).flatMap((asked) => wholeForms.filter(({ type }) => covers(asked, type)))
    if (found === undefined) return { status: 406, headers: { vary: 'Accept' }, warnings: [], body: '' }
    this.#wholeHash ??= hashOf(this.#whole('json'))
    const headers = { vary: 'Accept', etag: `"${this.#wholeHash}"`, 'content-type': found.sent }
    if (known === headers.etag) return { status: 304, headers, warnings: [], body: '' }
    return bytesAnswer(this.#whole(found.form), headers)
  }

  #hashOf(document: OpenApiDocument): string {
    const known = this.#hashes.get(document) ?? hashOf(document.text())
    this.#hashes.set(document, known)
    return known
  }
}

function addressOf(name: string, hash: string): string {
  return `${root}/${name}?hash=${hash}`
}

function hashOf(text: string | Uint8Array): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase()
}

/** Returns whether the client accepts JSON. The protobuf form of v3 is not served. */
function takesJson(accept: string | undefined): boolean {
  return askedTypes(accept).some((asked) => covers(asked, jsonType))
}

function askedTypes(accept: string | undefined): readonly string[] {
  return acceptedTypes(accept?.trim() || '*/*')
}
