// Life of an RDS instance, which in moto appears and disappears at once: hidden, creating, available, deleting. Each
// state lasts for a number of observations. One value per instance; each observation advances it.

/** Number of observations in each state. */
export interface Pace {
  /** Observations with `DBInstanceNotFound` after the creation. */
  readonly hidden: number
  /** Observations with `creating`, without an endpoint. */
  readonly creating: number
  readonly deleting: number
  /** Observations with `creating` for the final snapshot, after the instance is gone. */
  readonly snapshot: number
}

export interface Life {
  hidden: number
  creating: number
  /** Status that a test sets; RDS reports it from then on. */
  word?: string | undefined
  /** Last description of an instance that is being deleted. */
  last?: string | undefined
  deleting: number
}

/** True if the API rejects changes and deletion in this state. */
export function isBusy({ creating, last, word = 'available' }: Life): boolean {
  return creating > 0 || last !== undefined || !['available', 'storage-full', 'stopped', 'failed'].includes(word)
}

/**
 * Returns moto's description as this observation shows it; undefined: not found. Each observation advances the life.
 */
export function lookAt(life: Life, description: string | undefined): string | undefined {
  if (life.last !== undefined) {
    life.deleting -= 1
    const { last } = life
    if (life.deleting < 0) return undefined
    return withWord(last, 'deleting')
  }
  if (life.hidden > 0) {
    life.hidden -= 1
    return undefined
  }
  if (description === undefined) return undefined
  if (life.creating > 0) {
    life.creating -= 1
    return withoutEndpoint(withWord(description, 'creating'))
  }
  return life.word === undefined ? description : withWord(description, life.word)
}

/** Replaces AWS's endpoint name, which does not resolve, by the address of the test's server. */
export function withEndpoint(xml: string, { host, port }: { readonly host: string; readonly port: number }): string {
  const endpoint = `<Endpoint><Address>${host}</Address><Port>${port}</Port></Endpoint>`
  return xml.replace(/<Endpoint>.*?<\/Endpoint>/s, endpoint)
}

function withWord(xml: string, word: string): string {
  return xml.replace(/<DBInstanceStatus>[^<]*</, `<DBInstanceStatus>${word}<`)
}

function withoutEndpoint(xml: string): string {
  return xml.replace(/<Endpoint>.*?<\/Endpoint>/s, '')
}
