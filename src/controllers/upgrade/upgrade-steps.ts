// Steps of an upgrade to a server of another version. Long steps come first, while clients write. Clients wait only
// while the last changes replicate and both servers are compared.
//
//   CreateSnapshot → ProvisionNew → Replicate → AwaitCutover → ScaleDownOld → MigrateData → SwitchTraffic → RetireOld
//                                                              └── no client writes ───────────┘ └ no rollback ┘
import type { SagaStep } from '../../index.ts'
import { AwaitCutoverStep } from './await-cutover-step.ts'
import { MigrateDataStep } from './migrate-data-step.ts'
import { ReplicateStep } from './replicate-step.ts'
import { RetireOldStep } from './retire-old-step.ts'
import { ScaleDownOldStep } from './scale-down-old-step.ts'
import { SwitchTrafficStep, switchTraffic } from './switch-traffic-step.ts'
import type { UpgradeWorld } from './upgrade-world.ts'

/** Pivot of `defineSaga`: the point of no return. */
export const upgradePivot = switchTraffic

export function upgradeSteps<Scene>(world: UpgradeWorld<Scene>): readonly SagaStep<Scene>[] {
  return [
    world.createSnapshot,
    world.provisionNew,
    new ReplicateStep(world),
    new AwaitCutoverStep(world),
    new ScaleDownOldStep(world),
    new MigrateDataStep(world),
    new SwitchTrafficStep(world),
    new RetireOldStep(world),
  ]
}
