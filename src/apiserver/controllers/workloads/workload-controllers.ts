// Workload controllers: those of kube-controller-manager under its names, a scheduler, and the kubelet of simulated
// nodes.
// Each writes with the field manager of the component that it replaces.
import type { Clock } from '../../../base/clock.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { CronJobController } from './cron-job-controller.ts'
import { DaemonSetController } from './daemon-set-controller.ts'
import { DeploymentController } from './deployment-controller.ts'
import { DisruptionController } from './disruption-controller.ts'
import { EndpointSliceController } from './endpoint-slice-controller.ts'
import { EndpointsController } from './endpoints-controller.ts'
import { JobController, TtlAfterFinished } from './job-controller.ts'
import { RootCaPublisher, ServiceAccountController } from './namespace-furniture.ts'
import { NodeLifecycleController } from './node-lifecycle-controller.ts'
import { ReplicaSetController } from './replica-set-controller.ts'
import { Scheduler } from './scheduler.ts'
import { SimulatedNodes } from './simulated-nodes.ts'
import { StatefulSetController } from './stateful-set-controller.ts'
import { VolumeBinder } from './volume-binder.ts'
import { VolumeExpander } from './volume-expander.ts'
import { ClaimProtection, VolumeProtection } from './volume-protection.ts'

export interface WorkloadControllersOptions {
  readonly clock: Clock
  /** Returns a client with this field manager. */
  readonly clientOf: (manager: string) => SystemClient
  /** Root certificates for pods, in PEM. */
  readonly rootCertificate: string
}

export function workloadControllers(options: WorkloadControllersOptions): readonly ServerController[] {
  const { clock, clientOf, rootCertificate } = options
  const client = clientOf('kube-controller-manager')
  return [
    new ServiceAccountController(client),
    new RootCaPublisher(client, rootCertificate),
    new DaemonSetController({ client, clock }),
    new DeploymentController({ client, clock }),
    new ReplicaSetController({ client, clock }),
    new JobController({ client, clock }),
    new CronJobController({ client, clock }),
    new TtlAfterFinished({ client, clock }),
    new StatefulSetController({ client, clock }),
    new NodeLifecycleController({ client, clock }),
    new VolumeBinder({ client, clock }),
    new VolumeExpander({ client, clock }),
    new ClaimProtection(client),
    new VolumeProtection(client),
    new Scheduler({ client: clientOf('kube-scheduler'), clock }),
    new SimulatedNodes({ client: clientOf('kubelet'), clock }),
    new EndpointsController(client),
    new EndpointSliceController(client),
    new DisruptionController({ client, clock }),
  ]
}
