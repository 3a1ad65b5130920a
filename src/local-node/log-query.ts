// Parser of log requests, and choice of the container run. Source: kubelet's server.go getContainerLogs and
// kubelet_pods.go validateContainerLogStatus, including the error messages.
import type { ContainerStatus } from './pod.ts'

export interface LogOptions {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  /** RFC 3339, in the format of the log's timestamps. */
  readonly since: string | undefined
}

export interface LogRejection {
  readonly kind: 'refused'
  /** HTTP status of the response. */
  readonly status: number
  readonly message: string
}

/** Parses the options of a query, or returns the rejection. */
export function logOptionsOf(query: URLSearchParams, nowMs: number): LogOptions | LogRejection {
  const stream = query.get('stream')
  if (stream !== null && stream !== 'All') {
    const message = `unable to return the given log stream: "${stream}". Please enable PodLogsQuerySplitStreams feature gate in kubelet`
    return { kind: 'refused', status: 400, message }
  }
  const tail = query.get('tail') ?? query.get('tailLines')
  const numbers = {
    tailLines: wholeNumber(tail === 'all' ? null : tail),
    limitBytes: wholeNumber(query.get('limitBytes')),
    sinceSeconds: wholeNumber(query.get('sinceSeconds')),
  }
  const sinceTime = query.get('sinceTime')
  const isBad =
    Object.values(numbers).includes('bad') ||
    numbers.limitBytes === 0 ||
    numbers.sinceSeconds === 0 ||
    (sinceTime !== null && (numbers.sinceSeconds !== undefined || Number.isNaN(Date.parse(sinceTime))))
  if (isBad) return { kind: 'refused', status: 422, message: '{"message": "Invalid request."}' }
  const { tailLines, limitBytes, sinceSeconds } = numbers
  return {
    follow: isSet(query, 'follow'),
    previous: isSet(query, 'previous'),
    timestamps: isSet(query, 'timestamps'),
    tailLines: numberOrNone(tailLines),
    limitBytes: numberOrNone(limitBytes),
    since: sinceOf(numberOrNone(sinceSeconds), sinceTime, nowMs),
  }
}

/** Returns the container ID of the requested run, without its scheme. */
export function loggedRunOf(
  pod: string,
  container: string,
  { status, previous }: { readonly status: ContainerStatus | undefined; readonly previous: boolean },
): { readonly containerId: string } | LogRejection {
  const refused = (what: string): LogRejection => ({ kind: 'refused', status: 400, message: what })
  const who = `container "${container}" in pod "${pod}"`
  if (status === undefined) return refused(`${who} is not available`)
  const { state, lastState } = status
  const last = lastState.terminated?.containerID
  if (previous) return last === undefined ? refused(`previous terminated ${who} not found`) : bare(last)
  const current = state.running === undefined ? state.terminated?.containerID : status.containerID
  const shown = current ?? last
  if (shown !== undefined) return bare(shown)
  if (state.terminated !== undefined || lastState.terminated !== undefined) return refused(`${who} is terminated`)
  return refused(`${who} is waiting to start: ${state.waiting?.reason ?? ''}`)
}

/** Returns the rejection for a simulated container, which has no log. */
export function simulatedRejection(pod: string, container: string, image: string): LogRejection {
  const message = `container "${container}" in pod "${pod}" is simulated: no program of this machine stands for image ${image}, so there is no log`
  return { kind: 'refused', status: 400, message }
}

function bare(containerId: string): { readonly containerId: string } {
  return { containerId: containerId.slice(containerId.indexOf('//') + 2) }
}

function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)
  return value !== null && value !== 'false' && value !== '0'
}

function wholeNumber(text: string | null): number | 'bad' | undefined {
  if (text === null || text === '') return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : 'bad'
}

function numberOrNone(value: number | 'bad' | undefined): number | undefined {
  return value === 'bad' ? undefined : value
}

function sinceOf(seconds: number | undefined, time: string | null, nowMs: number): string | undefined {
  if (seconds === undefined && time === null) return undefined
  const ms = seconds === undefined ? Date.parse(time ?? '') : nowMs - seconds * 1000
  return new Date(ms).toISOString().replace('Z', '000000Z')
}
