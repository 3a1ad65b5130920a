// Operator killed at every write, on the embedded server.
import { embeddedStage } from './embedded-stage.ts'
import { describeKillEverywhere } from './stories/kill-everywhere.ts'

describeKillEverywhere(embeddedStage)
