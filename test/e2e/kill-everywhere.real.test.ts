// Does the operator live on, wherever it is killed, on a real cluster?
import { realStage } from './real-stage.ts'
import { describeKillEverywhere } from './stories/kill-everywhere.ts'

describeKillEverywhere(realStage())
