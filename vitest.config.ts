import { defineConfig } from 'vitest/config'
import { tapPlugin } from './test/taint/tap-plugin.ts'

/** Some start processes or explore hundreds of schedules: a machine that is five times slower must not fail them. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 180_000 } } }

/** Every project compares the output of its tests with the Secret values that they use. */
const taint = { plugins: [tapPlugin(import.meta.dirname)] }
const setupFiles = ['test/taint/vitest-setup.ts']

/**
 * `unit` needs nothing but Node; `oracle` holds our pure functions against the control plane's own, linked into a Go program, and the
 * alerts against Prometheus'; `postgres` runs against real PostgreSQL processes; `real` runs against the real control plane that its set-up starts.
 */
export default defineConfig({
  test: {
    // Each worker spends its time on the processor, and nothing else runs beside the unit tests.
    maxWorkers: '100%',
    projects: [
      {
        ...taint,
        test: {
          setupFiles,
          name: 'unit',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ['test/**/*.{real,oracle,postgres}.test.ts', 'node_modules/**'],
          ...patience,
        },
      },
      {
        ...taint,
        test: {
          setupFiles,
          name: 'oracle',
          include: ['test/**/*.oracle.test.ts'],
          globalSetup: ['test/oracles/vitest-global-setup.ts'],
          ...patience,
        },
      },
      {
        ...taint,
        test: {
          setupFiles,
          name: 'postgres',
          include: ['test/**/*.postgres.test.ts'],
          globalSetup: ['test/postgres/vitest-global-setup.ts'],
          fileParallelism: false,
          ...patience,
        },
      },
      {
        ...taint,
        test: {
          setupFiles,
          name: 'real',
          include: ['test/**/*.real.test.ts'],
          globalSetup: ['test/control-plane/vitest-global-setup.ts'],
          fileParallelism: false,
          ...patience,
        },
      },
    ],
  },
})
