// Keys of konverge.dev and applyset.kubernetes.io in string literals of TypeScript. A literal that ends inside a key
// gives its beginning.
import ts from 'typescript'

const keyPattern = /(?:[a-z0-9-]+\.)*(?:konverge\.dev|applyset\.kubernetes\.io)\/[a-zA-Z0-9._-]*/g
/** API versions and names of kinds are not keys. */
const apiVersionPattern = /\/v\d+(?:alpha|beta)?\d*$/

/** Returns each key once. An expression in a template splits its text. */
export function keysIn(text: string): readonly string[] {
  const file = ts.createSourceFile('keys.ts', text, ts.ScriptTarget.Latest, true)
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const [key] of node.text.matchAll(keyPattern)) if (!apiVersionPattern.test(key)) found.add(key)
    }
    node.forEachChild(visit)
  }
  visit(file)
  return [...found]
}
