// Operator killed at every write, on a real API server.
import { realStage } from './real-stage.ts'
import { describeKillEverywhere } from './stories/kill-everywhere.ts'

describeKillEverywhere(realStage())
