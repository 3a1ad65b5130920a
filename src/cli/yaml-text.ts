// How do objects look as YAML? One document each, as kubectl takes them.
import { stringify } from 'yaml'

/** kubectl reads YAML 1.1, where a bare `yes` or `0777` is no string. */
export function yamlText(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { version: '1.1', lineWidth: 0 })).join('---\n')
}
