// How does an instance of RDS live, which in moto is there at once and gone at once? It is not to be seen, then it is being created,
// then it serves, then it is being deleted; each for so many looks. A value for each instance, advanced by looking.

/** How many looks each part of a life takes. */
export interface Pace {
  /** `DBInstanceNotFound`, though it has been made. */
  readonly hidden: number
  /** `creating`, without an endpoint. */
  readonly creating: number
  readonly deleting: number
  /** The final snapshot is `creating`, after the instance is gone. */
  readonly snapshot: number
}

export interface Life {
  hidden: number
  creating: number
  /** Set by a test: RDS's word from now on. */
  word?: string | undefined
  /** Its last description, while it is being deleted. */
  last?: string | undefined
  deleting: number
}

/** As the API has it: may it be changed or deleted now? */
export function isBusy({ creating, last, word = 'available' }: Life): boolean {
  return creating > 0 || last !== undefined || !['available', 'storage-full', 'stopped', 'failed'].includes(word)
}

/** What a look shows of moto's description; undefined: not there. Each look brings the life forward. */
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

/** The name that AWS gave it leads nowhere; the test's own server is at the address instead. */
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
