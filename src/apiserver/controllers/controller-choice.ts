// Which controllers run? As kube-controller-manager's flag says it: names, `*` for all that there are, `-name` for one that shall not;
// a name may be written without `-controller`, or in the short form of former days.
// Source: k8s.io/controller-manager/app/helper.go, k8s.io/kubernetes/cmd/kube-controller-manager/app.

/** Short forms that are not the name without its end. */
const shortForms: ReadonlyMap<string, string> = new Map([
  ['endpoint', 'endpoints-controller'],
  ['garbagecollector', 'garbage-collector-controller'],
  ['nodelifecycle', 'node-lifecycle-controller'],
  ['pv-protection', 'persistentvolume-protection-controller'],
  ['pvc-protection', 'persistentvolumeclaim-protection-controller'],
  ['root-ca-cert-publisher', 'root-ca-certificate-publisher-controller'],
])

export interface ControllerChoice {
  /** In the order of the known ones. */
  readonly chosen: readonly string[]
  /** What none of them is called. */
  readonly unknown: readonly string[]
}

/** `none` alone chooses nobody, and so does an empty list. The first word about a controller counts. */
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
