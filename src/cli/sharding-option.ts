// Options --shard and --shard-by-hash of `run` and `install`, and the sharding of the operator that they and the
// program define. Pure.
import type { Command } from 'commander'
import type { Sharding } from '../index.ts'
import { assertSharding } from '../operator/sharding.ts'
import { CommandError } from './command-error.ts'
import type { OperatorSettings } from './program.ts'

export interface ShardingFlags {
  /** Name of a shard that selects its resources. */
  readonly shard?: string | undefined
  readonly shardByHash?: boolean | undefined
}

/** Options of the operator that sharding depends on. */
type Selecting = Parameters<typeof assertSharding>[1]

export function withSharding(command: Command): Command {
  return command
    .option('--shard <name>', 'name of the shard that reconciles the resources of --namespaces and --selector')
    .option('--shard-by-hash', 'divide the resources among the replicas by a hash')
}

/** Returns the sharding; a flag overrides the program. Throws a CommandError of exit code 2. */
export function shardingOf(
  { shard, shardByHash = false }: ShardingFlags,
  { sharding }: Pick<OperatorSettings, 'sharding'>,
): Sharding | undefined {
  if (shard !== undefined && shardByHash) {
    throw new CommandError('--shard and --shard-by-hash exclude each other; give one of them', 2)
  }
  if (shard !== undefined) return { kind: 'selection', name: shard }
  return shardByHash && sharding?.kind !== 'hash' ? { kind: 'hash' } : sharding
}

/** Throws a CommandError of exit code 2 if the operator could not start. */
export function checkSharding(sharding: Sharding | undefined, selecting: Selecting): void {
  try {
    assertSharding(sharding, selecting)
  } catch (thrown) {
    throw new CommandError(thrown instanceof Error ? thrown.message : String(thrown), 2)
  }
}
