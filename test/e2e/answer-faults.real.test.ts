// Invalid responses and broken watches, on a real API server.
import { realStage } from './real-stage.ts'
import { describeAnswerFaults } from './stories/answer-faults.ts'

describeAnswerFaults(realStage())
