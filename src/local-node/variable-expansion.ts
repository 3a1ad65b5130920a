// Expansion of `$(NAME)` in commands, arguments and variables: the variable's value, or the unchanged text if the
// variable does not exist. `$$(NAME)` escapes `$(NAME)`. Source: k8s.io/kubernetes/third_party/forked/golang/expansion.

/** Returns the text with every reference to a known variable replaced, in one pass. */
export function expandVariables(text: string, variables: ReadonlyMap<string, string>): string {
  let expanded = ''
  let index = 0
  while (index < text.length) {
    const dollar = text.indexOf('$', index)
    if (dollar < 0 || dollar + 1 >= text.length) break
    expanded += text.slice(index, dollar)
    const next = text.charAt(dollar + 1)
    const end = next === '(' ? text.indexOf(')', dollar + 2) : -1
    if (end >= 0) {
      const name = text.slice(dollar + 2, end)
      expanded += variables.get(name) ?? `$(${name})`
      index = end + 1
    } else {
      expanded += next === '$' ? '$' : `$${next}`
      index = dollar + 2
    }
  }
  return expanded + text.slice(index)
}
