// Destructive edits and deletions by users, on a real control plane that is not shared because its CRD is deleted.
import { realStage } from './real-stage.ts'
import { describeWorldFaults } from './stories/world-faults.ts'

const options = realStage()

describeWorldFaults(() => options().start())
