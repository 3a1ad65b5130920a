// Tag of an image name, from which the default of the pull policy follows.
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
/** Longer than any valid name; limits the work of the regular expression. */
const maxLength = 4096

/** Returns the tag; `latest` without tag and digest; '' for an invalid name. */
export function imageTag(image: string): string {
  if (image.length > maxLength || identifier.test(image)) return ''
  const found = reference.exec(normalized(image))?.groups
  if (found === undefined) return ''
  return found.tag ?? (found.digest === undefined ? 'latest' : '')
}

/** Returns the name with the default registry if it names none. */
function normalized(image: string): string {
  const slash = image.indexOf('/')
  const first = image.slice(0, slash)
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first)
  if (!hasDomain) return slash < 0 ? `docker.io/library/${image}` : `docker.io/${image}`
  return image
}
