// Invalid responses and broken watches, on the embedded server.
import { embeddedStage } from './embedded-stage.ts'
import { describeAnswerFaults } from './stories/answer-faults.ts'

describeAnswerFaults(embeddedStage)
