// Entry point `konverge/cli`: the commands of konverge's own program, for any operator.
export { operatorCli } from './operator-cli.ts'
export type {
  ControllerCommand,
  ControllerSettings,
  FlagValues,
  OperatorCliOptions,
  OperatorFlag,
  OperatorSettings,
} from './program.ts'
