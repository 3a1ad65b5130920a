// YAML of objects, one document each. Invariant: kubectl reads back the same objects, and a terminal obeys no character of them.
import { Document, visit } from 'yaml'
import { kubernetesTags } from '../base/kubernetes-yaml.ts'
import { hasControls, terminalText } from '../base/terminal-text.ts'

/** Strings such as `yes`, `0777` and `0o17` are quoted, because kubectl reads them bare as other types. */
export function yamlText(objects: readonly object[]): string {
  return objects.map(documentText).join('---\n')
}

/** Texts with control characters are in double quotes, in which YAML has the escapes of JSON. */
function documentText(object: object): string {
  const document = new Document(object, { version: '1.1', compat: kubernetesTags })
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && hasControls(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return terminalText(document.toString({ lineWidth: 0 }))
}
