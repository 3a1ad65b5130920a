// Manifests of an OperatorInstall, for callers without a cdk8s app.
import { App, Chart } from 'cdk8s'
import { OperatorInstall } from './operator-install.ts'
import type { OperatorInstallProps } from './operator-install-props.ts'

/**
 * Returns plain JSON, in an applicable order. Throws like the construct.
 *
 * @example operatorManifests({ name: 'shops', image: 'registry.example.com/shop-operator:1.2.0', rules })
 */
export function operatorManifests(props: OperatorInstallProps): readonly object[] {
  const chart = new Chart(new App(), 'operator')
  new OperatorInstall(chart, 'install', props)
  const manifests: readonly object[] = chart.toJson()
  return manifests
}
