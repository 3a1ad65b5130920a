// In which steps does a database move to another server, as one of a newer version is? Everything that takes long comes first, while
// applications write as before; then they are kept away for as long as the last rows travel and both sides are compared.
//
//   CreateSnapshot → ProvisionNew → Replicate → AwaitCutover → ScaleDownOld → MigrateData → SwitchTraffic → RetireOld
//                                                              └── nobody writes ──────────────┘ └ no way back ┘
import type { SagaStep } from '../../index.ts'
import { AwaitCutoverStep } from './await-cutover-step.ts'
import { MigrateDataStep } from './migrate-data-step.ts'
import { ReplicateStep } from './replicate-step.ts'
import { RetireOldStep } from './retire-old-step.ts'
import { ScaleDownOldStep } from './scale-down-old-step.ts'
import { SwitchTrafficStep, switchTraffic } from './switch-traffic-step.ts'
import type { UpgradeWorld } from './upgrade-world.ts'

/** Of `defineSaga`. */
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
