// Which tag does an image's name carry? Its pull policy's default hangs on it.
// Sources: k8s.io/kubernetes/pkg/util/parsers, github.com/distribution/reference (the grammar of names).

const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const pathPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const tag = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}'
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}'
const reference = new RegExp(
  `^(?<name>${domain}/${pathPart}(?:/${pathPart})*)(?::(?<tag>${tag}))?(?:@(?<digest>${digest}))?$`,
)
const identifier = /^[a-f0-9]{64}$/
/** More than the longest name that has a meaning; the expression is not run on more. */
const maxLength = 4096

/** The tag, `latest` where there is neither tag nor digest, and nothing where the name cannot be read. */
export function imageTag(image: string): string {
  if (image.length > maxLength || identifier.test(image)) return ''
  const found = reference.exec(normalized(image))?.groups
  if (found === undefined) return ''
  return found.tag ?? (found.digest === undefined ? 'latest' : '')
}

/** The name with the registry that is meant where it names none. */
function normalized(image: string): string {
  const slash = image.indexOf('/')
  const first = image.slice(0, slash)
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first)
  if (!hasDomain) return slash < 0 ? `docker.io/library/${image}` : `docker.io/${image}`
  return image
}
