// Text of the index of a generated folder: descriptors and wire types by name, and the constructs of each API group as
// one namespace. Both contain e.g. a `DatabaseSpec`.
import { header } from './header.ts'
import { pascalCase } from './type-text.ts'
import type { WireModule } from './wire-types.ts'

export interface DoorInput {
  /** Source of the generated code. */
  readonly source: string
  /** API groups whose constructs are in `<group>.ts` beside the index. */
  readonly groups: readonly string[]
  readonly wireModules: readonly WireModule[]
}

/** Returns the text of index.ts. */
export function door({ source, groups, wireModules }: DoorInput): string {
  const lines = [
    header(source),
    '// What is generated from the definitions: descriptors and wire types, and per API group its constructs.',
    ...groups.map((group) => `export * as ${namespaceOf(group, groups)} from './${group}.ts'`),
    ...wireModules.flatMap(({ name, values, types }) => [
      ...exported('export', values, name),
      ...exported('export type', types, name),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

/** `data` for data.konverge.dev; the whole group if the first part alone is not unique or not a name. */
function namespaceOf(group: string, groups: readonly string[]): string {
  const first = firstPart(group)
  const isUnique = groups.filter((other) => firstPart(other) === first).length === 1
  const name = /^[a-z][a-z0-9]*$/.test(first) && isUnique ? first : pascalCase(group)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

function firstPart(group: string): string {
  return group.split('.', 1).join('')
}

function exported(keyword: string, names: readonly string[], module: string): string[] {
  if (names.length === 0) return []
  return [`${keyword} {`, ...names.map((name) => `  ${name},`), `} from './wire/${module}.ts'`]
}
