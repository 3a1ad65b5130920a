// Converts the output of `cdk8s import` to TypeScript with erasable types, so that Node runs it directly (`node
// main.ts`). Enums become constants with the same members, and parameter properties become fields. Pure. Invariant: the
// names that other code uses stay the same. Source: TypeScript, erasableSyntaxOnly; Node, strip-types.

/** An enum as the program writes it: one member per line, with an optional comment before it. */
const enumeration = /^export enum (\w+) \{\n([\s\S]*?)^\}$/gm
const member = /^( {2})(\w+) = (".*"|-?[0-9.]+),$/gm
const parameterProperty = /^( +)private constructor\(public readonly (\w+): ([^)]+)\) \{\n +\}$/gm

/** Returns the module without syntax that requires compilation. */
export function erasableSyntax(text: string): string {
  return text
    .replaceAll(enumeration, (_, name: string, members: string) => {
      const values = members.replaceAll(member, '$1$2: $3,')
      return `export const ${name} = {\n${values}} as const;\nexport type ${name} = (typeof ${name})[keyof typeof ${name}];`
    })
    .replaceAll(parameterProperty, '$1public readonly $2: $3;\n$1private constructor($2: $3) {\n$1$1this.$2 = $2;\n$1}')
}
