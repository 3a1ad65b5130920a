// YAML of objects, one document each. Invariant: kubectl reads back the same objects.
import { stringify } from 'yaml'
import { kubernetesTags } from '../base/kubernetes-yaml.ts'

/** Strings such as `yes`, `0777` and `0o17` are quoted, because kubectl reads them bare as other types. */
export function yamlText(objects: readonly object[]): string {
  return objects
    .map((object) => stringify(object, { version: '1.1', compat: kubernetesTags, lineWidth: 0 }))
    .join('---\n')
}
