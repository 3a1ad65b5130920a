// Does the operator bear bad answers and bad watches on a real cluster?
import { realStage } from './real-stage.ts'
import { describeAnswerFaults } from './stories/answer-faults.ts'

describeAnswerFaults(realStage())
