// Events of a pod's containers, with a kubelet's reasons and messages. Source: kubelet's events/event.go,
// kuberuntime_container.go, kuberuntime_manager.go, prober/prober.go, and volumemanager.
import { messageOf } from '../base/errors.ts'
import type { PodReport } from './event-book.ts'
import { ImageMissingError } from './images.ts'
import type { ContainerSpec, PodObject } from './pod.ts'
import type { ProbeKind } from './probe-state.ts'
import { VolumeError } from './source-objects.ts'

const probeTitles: Readonly<Record<ProbeKind, string>> = {
  startup: 'Startup',
  liveness: 'Liveness',
  readiness: 'Readiness',
}

/** Returns the Events of a start. Instead of an image, they name the program that runs for it. */
export function startReports({ name, image }: ContainerSpec, program: string | undefined): readonly PodReport[] {
  const standsFor = program === undefined ? 'is simulated: no process runs for it' : `stands for ${program}`
  return [
    normal(name, 'Pulled', `Container image "${image}" ${standsFor}`),
    normal(name, 'Created', 'Container created'),
    normal(name, 'Started', 'Container started'),
  ]
}

export function failedStartReports({ name, image }: ContainerSpec, thrown: unknown): readonly PodReport[] {
  if (thrown instanceof ImageMissingError)
    return [
      normal(name, 'BackOff', `Back-off pulling image "${image}"`),
      warning(name, 'Failed', 'Error: ImagePullBackOff'),
    ]
  if (thrown instanceof VolumeError) {
    const message = `MountVolume.SetUp failed for volume "${thrown.volume}" : ${thrown.message}`
    return [{ type: 'Warning', reason: 'FailedMount', message }]
  }
  return [warning(name, 'Failed', `Error: ${messageOf(thrown)}`)]
}

export function backOffReport({ metadata: { namespace, name, uid } }: PodObject, container: string): PodReport {
  const message = `Back-off restarting failed container ${container} in pod ${name}_${namespace}(${uid})`
  return warning(container, 'BackOff', message)
}

export function unhealthyReport(container: string, kind: ProbeKind, seen: string): PodReport {
  return warning(container, 'Unhealthy', `${probeTitles[kind]} probe failed: ${seen}`)
}

export function killingReport(container: string, message: string): PodReport {
  return normal(container, 'Killing', message)
}

function normal(container: string, reason: string, message: string): PodReport {
  return { type: 'Normal', reason, message, container }
}

function warning(container: string, reason: string, message: string): PodReport {
  return { type: 'Warning', reason, message, container }
}
