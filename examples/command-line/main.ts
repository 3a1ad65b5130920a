// An operator with all commands and a runnable that a flag starts: `node examples/command-line/main.ts dev --report`.
// Outside this repository the first import reads: from 'konverge/cli'.
import { operatorCli } from '../../src/cli/index.ts'
import { website } from '../01-minimal/website.ts'
import { report } from '../embedded/report.ts'

await operatorCli({
  name: 'websites',
  version: '1.0.0',
  controllers: [website],
  flags: [{ flag: '--report', text: 'keep a ConfigMap with the replicas of the websites' }],
  operator: ({ flags }) => ({
    runnables: flags['report'] === true ? [report] : [],
    reconcileRate: { perSecond: 50, burst: 100 },
    gracefulShutdownMs: 5_000,
  }),
  crds: new URL('../01-minimal/website.crd.yaml', import.meta.url),
  samples: new URL('../01-minimal/website.yaml', import.meta.url),
  image: 'registry.example.com/websites:1.0.0',
})
