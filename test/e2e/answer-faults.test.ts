// Does the operator bear bad answers and bad watches on the server in this process?
import { embeddedStage } from './embedded-stage.ts'
import { describeAnswerFaults } from './stories/answer-faults.ts'

describeAnswerFaults(embeddedStage)
