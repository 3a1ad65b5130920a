// Operator of the Website controller, as a program with all commands: `node examples/01-minimal/main.ts --help`.
// Outside this repository the first import reads: from 'konverge/cli'.
import { operatorCli } from '../../src/cli/index.ts'
import { website } from './website.ts'

await operatorCli({
  name: 'websites',
  version: '1.0.0',
  controllers: [website],
  crds: new URL('website.crd.yaml', import.meta.url),
  samples: new URL('website.yaml', import.meta.url),
  image: 'registry.example.com/websites:1.0.0',
})
