// Order of a Job's worker, from the ConfigMap with the Job's name.
import { type WorkOrder, workOrderIn } from '../../../src/controllers/backup/work-order.ts'
import { ConfigMap, type LiveObject, valueAt } from '../../../src/index.ts'
import type { TestCluster } from '../../../src/testing/index.ts'

export async function orderOfJob(cluster: TestCluster, job: LiveObject): Promise<WorkOrder> {
  const { metadata } = job
  // The containers of a Job.
  const containers = valueAt(job, 'spec', 'template', 'spec', 'containers') as readonly { args: string[] }[]
  const { args = [] } = containers[0] ?? {}
  const digest = args[args.indexOf('--digest') + 1] ?? ''
  const map = await cluster.find(ConfigMap, `${metadata.namespace}/${metadata.name}`)
  const text = String(map === undefined ? '' : valueAt(map, 'data', 'order.json'))
  const order = workOrderIn(text, digest, worksOf(args[1]))
  if (order === undefined) throw new Error(`${metadata.name} has no order`)
  return order
}

/** A second step has the order of the whole work. */
function worksOf(command: string | undefined): readonly WorkOrder['work'][] {
  return command === 'prove' ? ['verify', 'fill'] : [command as WorkOrder['work']] // One of the commands of a worker.
}
