// CEL URL library. Source: k8s.io/apiserver/pkg/cel/library/urls.go.
import type { Library } from '../function-table.ts'
import { PlainList } from '../list-value.ts'
import { PlainMap } from '../map-value.ts'
import { hostname, parseUrl, port, queryValues, type Url, urlFault, urlText } from '../url.ts'
import { CelError, Composite, noSuchOverload, type Value } from '../value.ts'

export class UrlValue extends Composite {
  readonly typeName = 'kubernetes.URL'
  readonly url: Url

  constructor(url: Url) {
    super()
    this.url = url
  }

  equals(other: Value): Value {
    return other instanceof UrlValue ? urlText(this.url) === urlText(other.url) : noSuchOverload(other)
  }
}

function urlOf(text: string): Value {
  const url = parseUrl(text)
  return typeof url === 'string'
    ? new CelError(`URL parse error during conversion from string: ${url}`)
    : new UrlValue(url)
}

function queryOf({ url }: UrlValue): Value {
  return new PlainMap([...queryValues(url)].map(([key, values]): [Value, Value] => [key, new PlainList(values)]))
}

export const urls: Library = {
  url: { overloads: { string_to_url: ['(string): URL', urlOf] } },
  getScheme: { overloads: { url_get_scheme: ['URL.(): string', ({ url }: UrlValue) => url.scheme] } },
  getHost: { overloads: { url_get_host: ['URL.(): string', ({ url }: UrlValue) => url.host] } },
  getHostname: { overloads: { url_get_hostname: ['URL.(): string', ({ url }: UrlValue) => hostname(url)] } },
  getPort: { overloads: { url_get_port: ['URL.(): string', ({ url }: UrlValue) => port(url)] } },
  getEscapedPath: { overloads: { url_get_escaped_path: ['URL.(): string', ({ url }: UrlValue) => url.path] } },
  getQuery: { overloads: { url_get_query: ['URL.(): map(string, list(string))', queryOf] } },
  isURL: { overloads: { is_url_string: ['(string): bool', (text: string) => urlFault(text) === undefined] } },
}
