// Where do clients learn the form of the kinds? From an index of documents, one for each group and version; kubectl asks them
// before it writes. The address of a document carries its hash, so that clients may keep it for ever.
// Source: k8s.io/kube-openapi/pkg/handler3/handler.go.
import { createHash } from 'node:crypto'
import { type ApiAnswer, type ApiRequest, jsonType, textAnswer } from './exchange.ts'
import { noSuchPath } from './status-error.ts'

/** One published document. */
export interface OpenApiDocument {
  /** `api/v1`, `apis/apps/v1`. */
  readonly name: string
  /** Read when somebody asks; the same text each time. */
  readonly text: () => string
}

const root = '/openapi/v3'

export class OpenApi {
  readonly #documents: ReadonlyMap<string, OpenApiDocument>
  readonly #custom: () => readonly OpenApiDocument[]
  readonly #hashes = new WeakMap<OpenApiDocument, string>()

  /** `custom` gives the documents that come and go; the same ones for as long as their texts stay. */
  constructor(documents: readonly OpenApiDocument[], custom: () => readonly OpenApiDocument[] = () => []) {
    this.#documents = new Map(documents.map((document) => [document.name, document]))
    this.#custom = custom
  }

  /** Answers a GET at or below /openapi/v3. Throws StatusError (404). */
  answer({ path, query, header }: ApiRequest): ApiAnswer {
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
    return textAnswer(200, text, jsonType, { headers })
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

function hashOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase()
}

/** The other form, protocol buffers, is not served; who takes both gets JSON. */
function takesJson(accept = '*/*'): boolean {
  const types = accept.split(',').map((clause) => clause.split(';')[0]?.trim().toLowerCase())
  return types.some((type) => type === '' || type === '*/*' || type === 'application/*' || type === jsonType)
}
