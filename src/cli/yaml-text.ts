// YAML of objects, one document each. Invariants: kubectl reads back the same objects, and the text contains no control
// characters for a terminal.
import { Document, visit } from 'yaml'
import { kubernetesTags } from '../base/kubernetes-yaml.ts'
import { hasControls, terminalText } from '../base/terminal-text.ts'

/** Quotes strings such as `yes`, `0777` and `0o17`, because kubectl reads them bare as other types. */
export function yamlText(objects: readonly object[]): string {
  return objects.map(documentText).join('---\n')
}

/** Puts texts with control characters in double quotes, where YAML has the escapes of JSON. */
function documentText(object: object): string {
  const document = new Document(object, { version: '1.1', compat: kubernetesTags })
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && hasControls(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return terminalText(document.toString({ lineWidth: 0 }))
}
