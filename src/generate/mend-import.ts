// How does what `cdk8s import` wrote become a module of ours? Code names give way to the real ones, which stand in quotes as on
// the wire, and imports of types are marked. Everything else stays as it was written.
import { erasableSyntax } from './erasable-syntax.ts'
import { typeOnlyImports } from './type-only-imports.ts'
import { literal } from './type-text.ts'

/** Could it be a code name? Lower case, with digits at the end, so that it passes every change of case unharmed. */
export function isCodeName(name: string): boolean {
  return /^wire[a-z]*\d+$/.test(name)
}

/**
 * The module with real names for the code names that are in it. A field is written in two lines:
 *
 *     readonly wireref0?: string;        readonly '$ref'?: string;
 *     'wireref0': obj.wireref0,          ['$ref']: obj['$ref'],
 */
export function mendImport(text: string, realNames: ReadonlyMap<string, string>): string {
  const mended = text.replaceAll(/^.*\b(wire[a-z]*\d+)\b.*$/gm, (line, codeName: string) => {
    const name = realNames.get(codeName)
    return name === undefined ? line : mendLine(line, codeName, name)
  })
  return erasableSyntax(typeOnlyImports(mended))
}

export interface Written {
  readonly written: readonly { readonly fileName: string; readonly text: string }[]
  /** Of the definitions that the program was given. */
  readonly groups: readonly string[]
  readonly realNames: ReadonlyMap<string, string>
}

/** What is wrong with what the program wrote: it drops what it does not like without a word, and with exit code 0. */
export function unforeseen({ written, groups, realNames }: Written): string | undefined {
  const texts = written.map(({ text }) => text)
  const missing = [...new Set(groups)].find((group) => !written.some(({ fileName }) => fileName === `${group}.ts`))
  if (missing !== undefined) return `wrote no module for ${missing}`
  if (texts.some((text) => text.includes('__stripped_by_cdk8s__'))) return 'stripped a text that is needed'
  const lost = [...realNames].find(([codeName]) => !texts.some((text) => text.includes(`'${codeName}': `)))
  return lost === undefined ? undefined : `lost the field ${lost[1]}`
}

function mendLine(line: string, codeName: string, name: string): string {
  const quoted = literal(name)
  return line
    .replace(`readonly ${codeName}`, () => `readonly ${quoted}`)
    .replace(`'${codeName}': `, () => `[${quoted}]: `)
    .replaceAll(new RegExp(`obj\\.${codeName}\\b`, 'g'), () => `obj[${quoted}]`)
    .replace(`#${codeName}`, () => `#${name.replaceAll(/[^\x20-\x7e]|\*\//g, '_')}`)
}
