// Proxy before moto that adds what moto lacks. Instances take time, reject changes while they are busy, and lead to a
// real PostgreSQL. On request the connection breaks, and requests are throttled or rejected.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isBusy, type Life, lookAt, type Pace, withEndpoint } from './instance-life.ts'

export interface RdsRequest {
  /** Index from 1 over all requests. */
  readonly index: number
  /** For example `CreateDBInstance`. */
  readonly action: string
  readonly parameters: URLSearchParams
}

export interface RdsRecord extends RdsRequest {
  /** Status of moto's response; undefined: the request never reached moto. */
  status?: number
}

/** `cut…`: the connection breaks before RDS receives the request, or after RDS has executed it. */
export type Verdict = 'pass' | 'cutBefore' | 'cutAfter' | { readonly code: string; readonly status: number }

interface Answer {
  readonly status: number
  readonly body: string
}

const atOnce: Pace = { hidden: 0, creating: 0, deleting: 0, snapshot: 0 }

export class RdsProxy {
  readonly url: string
  judge: (request: RdsRequest) => Verdict = () => 'pass'
  /** Pace of instances that are created from now on. */
  pace: Pace = atOnce
  /** Address to which instances lead; undefined: moto's own name. */
  databaseAt: { readonly host: string; readonly port: number } | undefined
  /** Called with every master password that RDS accepts, before the response is sent. */
  onPassword: (password: string) => Promise<unknown> = async () => undefined
  readonly #moto: string
  readonly #server: Server
  readonly #records: RdsRecord[] = []
  readonly #lives = new Map<string, Life>()
  readonly #snapshots = new Map<string, SnapshotLife>()
  #underWay = 0

  private constructor(moto: string, server: Server) {
    this.#moto = moto
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // A listening TCP server has a port.
    server.on('request', (message, response) => {
      this.#underWay += 1
      this.#serve(message, response)
        .catch(() => message.socket.destroy())
        .finally(() => {
          this.#underWay -= 1
        })
    })
  }

  /** Starts a proxy before the moto at this URL. The caller stops it. */
  static async start(moto: string): Promise<RdsProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RdsProxy(moto, server)
  }

  /** Removes everything that was created, including all records. */
  async reset(): Promise<void> {
    this.#lives.clear()
    this.#snapshots.clear()
    this.forget()
    await fetch(`${this.#moto}/moto-api/reset`, { method: 'POST' })
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    // Moto would keep the objects of this test for the next one.
    await this.reset()
  }

  /** URL of moto behind the proxy, for manual changes to instances. */
  get moto(): string {
    return this.#moto
  }

  /** True while a client waits for a response. */
  get isInUse(): boolean {
    return this.#underWay > 0
  }

  get records(): readonly RdsRecord[] {
    return this.#records
  }

  /** Actions in order, with `!` after those that RDS did not execute. */
  get actions(): readonly string[] {
    return this.#records.map(({ action, status }) => (status === 200 ? action : `${action}!`))
  }

  /** Returns the number of requests of this action that took effect. */
  effective(action: string): number {
    return this.#records.filter((record) => record.action === action && record.status === 200).length
  }

  forget(): void {
    this.#records.length = 0
  }

  /** Sets the status that RDS reports for the instance from now on; undefined: `available`. */
  setWord(identifier: string, word: string | undefined): void {
    this.#lifeOf(identifier).word = word
  }

  /** Sets the status that RDS reports for the snapshot from now on. */
  setSnapshotWord(name: string, word: string): void {
    this.#snapshotOf(name).word = word
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(message)
    const parameters = new URLSearchParams(text)
    const action = parameters.get('Action') ?? ''
    const record: RdsRecord = { index: this.#records.length + 1, action, parameters }
    this.#records.push(record)
    const verdict = this.judge(record)
    if (verdict === 'cutBefore') return void message.socket.destroy()
    if (typeof verdict === 'object') return send(response, refusal(verdict.status, verdict.code))
    const pass = (form: URLSearchParams) => this.#forward(form, message.headers.authorization ?? '')
    const answer = await this.#answer(record, pass)
    record.status = answer.status
    const password = parameters.get('MasterUserPassword')
    if (answer.status === 200 && password !== null) await this.onPassword(password)
    if (verdict === 'cutAfter') return void message.socket.destroy()
    send(response, answer)
  }

  async #answer({ action, parameters }: RdsRequest, pass: Pass): Promise<Answer> {
    const identifier = parameters.get('DBInstanceIdentifier') ?? ''
    switch (action) {
      case 'DescribeDBInstances':
        return this.#look(identifier, await pass(parameters))
      case 'DescribeDBSnapshots':
        return this.#lookAtSnapshot(nameIn(parameters), await pass(parameters))
      case 'CreateDBSnapshot':
        return this.#createSnapshot(parameters, pass)
      case 'DeleteDBSnapshot':
        return this.#deleteSnapshot(parameters, pass)
      case 'CreateDBInstance':
      case 'RestoreDBInstanceFromDBSnapshot':
        return this.#create(identifier, parameters, pass)
      case 'ModifyDBInstance':
        if (isBusy(this.#lifeOf(identifier))) return refusal(400, 'InvalidDBInstanceState')
        return pass(parameters)
      case 'DeleteDBInstance':
        return this.#delete(identifier, parameters, pass)
      default:
        return pass(parameters)
    }
  }

  #look(identifier: string, answer: Answer): Answer {
    const shown = lookAt(this.#lifeOf(identifier), answer.status === 200 ? answer.body : undefined)
    if (shown === undefined) return refusal(404, 'DBInstanceNotFound')
    return { status: 200, body: this.databaseAt === undefined ? shown : withEndpoint(shown, this.databaseAt) }
  }

  /** Returns the snapshot as this observation shows it; each observation advances its life. */
  #lookAtSnapshot(name: string, answer: Answer): Answer {
    if (answer.status !== 200) return answer
    const life = this.#snapshotOf(name)
    if (life.hidden-- > 0) return refusal(404, 'DBSnapshotNotFound')
    const word = life.word ?? (life.creating-- > 0 ? 'creating' : 'available')
    return { ...answer, body: answer.body.replaceAll(/<Status>[a-z]+</g, `<Status>${word}<`) }
  }

  async #createSnapshot(parameters: URLSearchParams, pass: Pass): Promise<Answer> {
    const instance = this.#lives.get(parameters.get('DBInstanceIdentifier') ?? '')
    if (instance !== undefined && isBusy(instance)) return refusal(400, 'InvalidDBInstanceState')
    const answer = await pass(parameters)
    const { hidden, snapshot: creating } = this.pace
    if (answer.status === 200) this.#snapshots.set(nameIn(parameters), { hidden, creating })
    return answer
  }

  /** Deletes a snapshot; like the API, rejects the deletion of a busy one. */
  async #deleteSnapshot(parameters: URLSearchParams, pass: Pass): Promise<Answer> {
    const { creating, word = 'available' } = this.#snapshotOf(nameIn(parameters))
    const isAtWork = creating > 0 || !['available', 'failed'].includes(word)
    return isAtWork ? refusal(400, 'InvalidDBSnapshotState') : pass(parameters)
  }

  #snapshotOf(name: string): SnapshotLife {
    const life = this.#snapshots.get(name) ?? { hidden: 0, creating: 0 }
    this.#snapshots.set(name, life)
    return life
  }

  async #create(identifier: string, parameters: URLSearchParams, pass: Pass): Promise<Answer> {
    const former = this.#lives.get(identifier)
    if (former?.last !== undefined && former.deleting > 0) return refusal(400, 'DBInstanceAlreadyExists')
    const answer = await pass(parameters)
    const { hidden, creating } = this.pace
    if (answer.status === 200) this.#lives.set(identifier, { hidden, creating, deleting: 0 })
    return answer
  }

  async #delete(identifier: string, parameters: URLSearchParams, pass: Pass): Promise<Answer> {
    const life = this.#lifeOf(identifier)
    if (isBusy(life)) return refusal(400, 'InvalidDBInstanceState')
    const look = new URLSearchParams({ Action: 'DescribeDBInstances', DBInstanceIdentifier: identifier })
    look.set('Version', parameters.get('Version') ?? '')
    const description = await pass(look)
    const answer = await pass(parameters)
    if (answer.status !== 200) return answer
    Object.assign(life, { last: description.body, deleting: this.pace.deleting })
    const snapshot = parameters.get('FinalDBSnapshotIdentifier')
    if (snapshot !== null) this.#snapshots.set(snapshot, { hidden: 0, creating: this.pace.snapshot })
    return answer
  }

  #lifeOf(identifier: string): Life {
    const life = this.#lives.get(identifier) ?? { hidden: 0, creating: 0, deleting: 0 }
    this.#lives.set(identifier, life)
    return life
  }

  async #forward(form: URLSearchParams, authorization: string): Promise<Answer> {
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(this.#moto, { method: 'POST', headers, body: form.toString() })
    return { status: answer.status, body: await answer.text() }
  }
}

interface SnapshotLife {
  hidden: number
  creating: number
  /** Status that a test sets; RDS reports it from then on. */
  word?: string
}

function nameIn(parameters: URLSearchParams): string {
  return parameters.get('DBSnapshotIdentifier') ?? ''
}

type Pass = (form: URLSearchParams) => Promise<Answer>

/** Returns an error in the form of AWS's query protocol. */
function refusal(status: number, code: string): Answer {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>the test says ${code}</Message></Error>`
  return { status, body: `<ErrorResponse>${error}<RequestId>1</RequestId></ErrorResponse>` }
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'text/xml' }).end(body)
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer) // A stream without encoding yields buffers.
  return Buffer.concat(chunks).toString('utf8')
}
