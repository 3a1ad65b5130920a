// Runner of one probe or hook: an HTTP request, a TCP connection, or a command beside the container's. It resolves on
// success, and rejects with the observation on failure. Source: kubernetes/pkg/probe.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { messageOf } from '../base/errors.ts'
import type { Program } from './images.ts'
import { type Mount, withRealPaths } from './mount-paths.ts'
import type { Handler, HttpGet } from './pod.ts'

export interface HandlerPlace {
  readonly podIp: string
  readonly ports: readonly { readonly name?: string; readonly containerPort: number }[]
  /** Program of the container: a command gets its variables, folder and user. */
  readonly program: Program
  readonly mounts: readonly Mount[]
}

const longestRedirects = 10
/** Maximum length of a command's output in the message. */
const outputLimit = 1_024

/** Runs a handler until its end or the abort; the signal is its time limit. */
export async function runHandler(handler: Handler, place: HandlerPlace, signal: AbortSignal): Promise<void> {
  const { exec, httpGet, tcpSocket } = handler
  if (exec !== undefined) return runCommand(exec.command ?? [], place, signal)
  if (httpGet !== undefined) return getHttp(httpGet, place, signal)
  if (tcpSocket !== undefined) {
    return openTcp({ host: tcpSocket.host ?? place.podIp, port: portOf(tcpSocket.port, place) }, signal)
  }
  throw new Error(`the local node knows no handler of kind ${Object.keys(handler).join(', ')}`)
}

async function openTcp(to: { readonly host: string; readonly port: number }, signal: AbortSignal): Promise<void> {
  const socket = connect(to)
  try {
    await once(socket, 'connect', { signal })
  } catch (thrown) {
    throw new Error(dialFault(thrown, `${to.host}:${to.port}`), { cause: thrown })
  } finally {
    socket.destroy()
  }
}

async function getHttp(get: HttpGet, place: HandlerPlace, signal: AbortSignal): Promise<void> {
  const scheme = (get.scheme ?? 'HTTP').toLowerCase()
  let url = new URL(get.path ?? '/', `${scheme}://${get.host ?? place.podIp}:${portOf(get.port, place)}`)
  for (let hop = 0; hop <= longestRedirects; hop++) {
    const { statusCode = 0, headers } = await exchange(url, get, signal)
    const next = statusCode >= 300 && statusCode < 400 && headers.location ? new URL(headers.location, url) : undefined
    // A redirect to another host is a success, because a kubelet does not follow it out of the pod.
    if (next !== undefined && next.hostname === url.hostname) {
      url = next
      continue
    }
    if (statusCode >= 200 && statusCode < 400) return
    throw new Error(`HTTP probe failed with statuscode: ${statusCode}`)
  }
  throw new Error(`HTTP probe failed: stopped after ${longestRedirects} redirects`)
}

async function exchange(url: URL, { httpHeaders = [] }: HttpGet, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = Object.fromEntries([
    ['user-agent', 'kube-probe/1.36'],
    ['accept', '*/*'],
    ['connection', 'close'],
    ...httpHeaders.map(({ name, value }) => [name.toLowerCase(), value]),
  ])
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  // Certificates of probe targets are not verified, as in a kubelet.
  const request = send(url, { headers, signal, agent: false, rejectUnauthorized: false })
  request.end()
  try {
    const [response] = await once(request, 'response', { signal })
    response.resume()
    return response
  } catch (thrown) {
    throw new Error(`Get "${url}": ${httpFault(thrown, url.host)}`, { cause: thrown })
  }
}

function httpFault(thrown: unknown, address: string): string {
  return signalOf(thrown) === 'TimeoutError'
    ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    : dialFault(thrown, address)
}

/** Returns Go's message for the failure, if there is one. */
function dialFault(thrown: unknown, address: string): string {
  if (signalOf(thrown) === 'TimeoutError') return `dial tcp ${address}: i/o timeout`
  const isRefused = thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNREFUSED'
  return isRefused ? `dial tcp ${address}: connect: connection refused` : messageOf(thrown)
}

/** Returns the name of the abort reason if a signal ended the wait. */
function signalOf(thrown: unknown): string | undefined {
  const { cause } = thrown instanceof Error && thrown.name === 'AbortError' ? thrown : { cause: undefined }
  return cause instanceof Error ? cause.name : undefined
}

async function runCommand(
  [command, ...args]: readonly string[],
  place: HandlerPlace,
  signal: AbortSignal,
): Promise<void> {
  if (command === undefined) throw new Error('the command to run is empty')
  const { program, mounts } = place
  const mapped = (text: string) => withRealPaths(text, mounts)
  const child = spawn(mapped(command), args.map(mapped), {
    cwd: program.workingFolder,
    env: Object.fromEntries(program.environment),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...program.user,
  })
  const onAbort = () => killGroup(child.pid)
  signal.addEventListener('abort', onAbort, { once: true })
  let output = ''
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(0, outputLimit)
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  try {
    const [code] = await once(child, 'exit')
    signal.throwIfAborted()
    if (code !== 0) throw new Error(output === '' ? `command exited with ${code}` : output)
  } finally {
    signal.removeEventListener('abort', onAbort)
    killGroup(child.pid)
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

function portOf(port: number | string, { ports }: HandlerPlace): number {
  const number =
    typeof port === 'number' ? port : (ports.find(({ name }) => name === port)?.containerPort ?? Number(port))
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number
  throw new Error(`couldn't find port ${JSON.stringify(port)}`)
}
