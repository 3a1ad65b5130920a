// Restores real names in the output of `cdk8s import`: they replace code names, in quotes as on the wire, and type
// imports are marked. Everything else stays unchanged.
import { erasableSyntax } from './erasable-syntax.ts'
import { typeOnlyImports } from './type-only-imports.ts'
import { literal } from './type-text.ts'

/** True if it may be a code name: lower case, with digits at the end, so that it survives every change of case. */
export function isCodeName(name: string): boolean {
  return /^wire[a-z]*\d+$/.test(name)
}

/**
 * Returns the module with real names in place of its code names. Each field has two lines.
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
  /** API groups of the definitions that the program received. */
  readonly groups: readonly string[]
  readonly realNames: ReadonlyMap<string, string>
}

/** Returns the problem of the program's output: the program silently drops unsupported parts, with exit code 0. */
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
