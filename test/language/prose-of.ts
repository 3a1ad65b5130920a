// Prose of a file by its name. Generated files and recorded responses have none.
import { typeScriptProse } from './typescript-prose.ts'
import { yamlProse } from './yaml-prose.ts'

/** Generated, recorded, or with deliberate errors. */
const withoutProse =
  /^(?:imports\/|dist\/|LICENSE$|test\/(?:golden|conformance\/recorded|language\/planted\.yaml))|__snapshots__/

/**
 * Returns the prose with its lines and columns, or undefined if there is none. A name without an ending is plain prose.
 */
export function proseOf(path: string, text: string): string | undefined {
  if (withoutProse.test(path)) return undefined
  if (path.endsWith('.ts') || path.endsWith('.mjs')) return typeScriptProse(path, text, { isTest: isTest(path) })
  if (path.endsWith('.yaml')) return yamlProse(text)
  return path.endsWith('.md') || !path.includes('.') ? text : undefined
}

const isTest = (path: string): boolean => path.startsWith('test/') || path.endsWith('.test.ts')
