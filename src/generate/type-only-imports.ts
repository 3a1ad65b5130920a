// Marks interface imports in the output of `cdk8s import` as types, so that it compiles under verbatimModuleSyntax;
// otherwise Node would resolve them at run time.

/** Imported names that exist as types only. */
const typesOnly = new Set(['ApiObjectMetadata', 'GroupVersionKind', 'Construct'])

/** Marks the type imports of `cdk8s` and `constructs`; every other line stays unchanged. */
export function typeOnlyImports(text: string): string {
  return text.replace(/^import \{ ([^}]+) \} from '(cdk8s|constructs)';$/gm, (_line, names: string, module: string) => {
    const imported = names.split(', ').map((name) => (typesOnly.has(name) ? `type ${name}` : name))
    const allTypes = imported.every((name) => name.startsWith('type '))
    return allTypes
      ? `import type { ${names} } from '${module}';`
      : `import { ${imported.join(', ')} } from '${module}';`
  })
}
