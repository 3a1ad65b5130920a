// What does an OperatorInstall come to? Its manifests, for who has no cdk8s app around it.
import { App, Chart } from 'cdk8s'
import { OperatorInstall } from './operator-install.ts'
import type { OperatorInstallProps } from './operator-install-props.ts'

/** Plain JSON, in an order in which it can be applied. Throws like the construct. */
export function operatorManifests(props: OperatorInstallProps): readonly object[] {
  const chart = new Chart(new App(), 'operator')
  new OperatorInstall(chart, 'install', props)
  const manifests: readonly object[] = chart.toJson()
  return manifests
}
