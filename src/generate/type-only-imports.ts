// How does code that `cdk8s import` wrote become an ES module that compiles under verbatimModuleSyntax? Its imports of
// interfaces are marked as types; Node would look for them at run time otherwise.

/** What the code imports that exists in types only. */
const typesOnly = new Set(['ApiObjectMetadata', 'GroupVersionKind', 'Construct'])

/** Marks the type imports of `cdk8s` and `constructs`; every other line stays as it is. */
export function typeOnlyImports(text: string): string {
  return text.replace(/^import \{ ([^}]+) \} from '(cdk8s|constructs)';$/gm, (_line, names: string, module: string) => {
    const imported = names.split(', ').map((name) => (typesOnly.has(name) ? `type ${name}` : name))
    const allTypes = imported.every((name) => name.startsWith('type '))
    return allTypes
      ? `import type { ${names} } from '${module}';`
      : `import { ${imported.join(', ')} } from '${module}';`
  })
}
