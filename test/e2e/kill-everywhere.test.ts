// Does the operator live on, wherever it is killed, on the server in this process?
import { embeddedStage } from './embedded-stage.ts'
import { describeKillEverywhere } from './stories/kill-everywhere.ts'

describeKillEverywhere(embeddedStage)
