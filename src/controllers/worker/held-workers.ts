// Workers that go on while their resource waits: their Jobs and orders stay as they are.
import { ApiObject, type Chart } from 'cdk8s'
import { hold } from '../../index.ts'

/** `names`: of the Job of each worker, and of the ConfigMap with its order. `problem`: what the resource waits for; undefined: its database. */
export function holdWorkers(
  chart: Chart,
  names: readonly string[],
  problem: { readonly message: string } | undefined,
): void {
  const sentence = problem?.message ?? 'the database is not known'
  const manifests = { Job: 'batch/v1', ConfigMap: 'v1' }
  for (const name of names) {
    for (const [kind, apiVersion] of Object.entries(manifests))
      hold(new ApiObject(chart, `${kind}-${name}`, { apiVersion, kind, metadata: { name } }), { sentence })
  }
}
