// What does `$(NAME)` stand for in a command, an argument or a variable? For the variable's value if there is one, else for
// itself; `$$(NAME)` is a way to write `$(NAME)`. Source: k8s.io/kubernetes/third_party/forked/golang/expansion.

/** The text with every reference to a known variable replaced, in one pass. */
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
