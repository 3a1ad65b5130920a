// State of a container's probes. A verdict changes only after as many equal results in a row as the threshold requires.
// Source: kubelet/prober worker.go. probe-runner.ts gets the results.
import type { ContainerSpec, Probe } from './pod.ts'

export type ProbeKind = 'startup' | 'liveness' | 'readiness'
export const probeKinds: readonly ProbeKind[] = ['startup', 'liveness', 'readiness']

export type ProbeVerdict = 'success' | 'failure' | 'unknown'

export interface ProbeState {
  readonly verdict: ProbeVerdict
  readonly lastAnswer?: 'success' | 'failure'
  /** Number of equal results in a row. */
  readonly run: number
  readonly nextAtMs: number
  /** The probe is running. */
  readonly isUnderWay: boolean
  /** The verdict for this run of the container is final; the probe does not run again. */
  readonly isDecided: boolean
}

const initialVerdicts: Readonly<Record<ProbeKind, ProbeVerdict>> = {
  startup: 'unknown',
  liveness: 'success',
  readiness: 'failure',
}

export function probeOf(container: ContainerSpec, kind: ProbeKind): Probe | undefined {
  switch (kind) {
    case 'startup':
      return container.startupProbe
    case 'liveness':
      return container.livenessProbe
    case 'readiness':
      return container.readinessProbe
  }
}

/** Returns the state at the start of a container. */
export function freshProbe(kind: ProbeKind, probe: Probe, startedAtMs: number): ProbeState {
  const nextAtMs = startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000
  return { verdict: initialVerdicts[kind], run: 0, nextAtMs, isUnderWay: false, isDecided: false }
}

export function requestedProbe(state: ProbeState): ProbeState {
  return { ...state, isUnderWay: true }
}

/** Records a result. `undefined`: the probe itself could not run, which says nothing about the container. */
export function answeredProbe(
  state: ProbeState,
  { kind, probe, answer, nowMs }: ProbeAnswer & { readonly nowMs: number },
): ProbeState {
  // The next probe is due one period after the last, or immediately if the last took longer.
  const nextAtMs = Math.max(nowMs, state.nextAtMs + (probe.periodSeconds ?? 10) * 1000)
  const waiting = { ...state, nextAtMs, isUnderWay: false }
  if (answer === undefined) return waiting
  const run = state.lastAnswer === answer ? state.run + 1 : 1
  const threshold = answer === 'success' ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
  const counted = { ...waiting, lastAnswer: answer, run }
  if (run < threshold) return counted
  const isDecided = kind === 'startup' || (kind === 'liveness' && answer === 'failure')
  return { ...counted, verdict: answer, isDecided, ...(isDecided ? { run: 0 } : {}) }
}

export interface ProbeAnswer {
  readonly kind: ProbeKind
  readonly probe: Probe
  readonly answer: 'success' | 'failure' | undefined
}
