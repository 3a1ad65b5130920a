// Does a real cluster's store come through what nobody should do to it? A control plane of its own, because its CRD goes.
import { realStage } from './real-stage.ts'
import { describeWorldFaults } from './stories/world-faults.ts'

const options = realStage()

describeWorldFaults(() => options().start())
