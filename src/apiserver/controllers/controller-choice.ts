// Value of the flag `--controllers`, as in kube-controller-manager: `*` enables all controllers, `name` enables one,
// `-name` disables one.
// The suffix `-controller` is optional; the deprecated short names work too.
// Source: k8s.io/controller-manager/app/helper.go, k8s.io/kubernetes/cmd/kube-controller-manager/app.

/** Deprecated short names that differ from the name without its suffix. */
const shortForms: ReadonlyMap<string, string> = new Map([
  ['endpoint', 'endpoints-controller'],
  ['garbagecollector', 'garbage-collector-controller'],
  ['nodelifecycle', 'node-lifecycle-controller'],
  ['pv-protection', 'persistentvolume-protection-controller'],
  ['pvc-protection', 'persistentvolumeclaim-protection-controller'],
  ['root-ca-cert-publisher', 'root-ca-certificate-publisher-controller'],
])

export interface ControllerChoice {
  /** In the order of the known names. */
  readonly chosen: readonly string[]
  /** Words that name no known controller. */
  readonly unknown: readonly string[]
}

/** Returns no controller for an empty list or for `none` alone. The first word about a controller wins. */
export function controllerChoice(words: readonly string[], known: readonly string[]): ControllerChoice {
  if (words.length === 1 && words[0] === 'none') return { chosen: [], unknown: [] }
  const said = new Map<string, boolean>()
  const unknown: string[] = []
  for (const word of words.filter((one) => one !== '*')) {
    const isOff = word.startsWith('-')
    const name = fullName(isOff ? word.slice(1) : word, known)
    if (name === undefined) unknown.push(word)
    else if (!said.has(name)) said.set(name, !isOff)
  }
  const otherwise = words.includes('*')
  return { chosen: known.filter((name) => said.get(name) ?? otherwise), unknown }
}

function fullName(word: string, known: readonly string[]): string | undefined {
  return [word, `${word}-controller`, shortForms.get(word)].find((name) => name !== undefined && known.includes(name))
}
