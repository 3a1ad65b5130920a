// Local node in a process of its own, so that a test can kill it: `node node-child.ts <kubeconfig> <node> <folder>`.
import process from 'node:process'
import { NodeHere } from './node-here.ts'

const [, , kubeconfigPath = '', name = '', folder = ''] = process.argv
const node = await NodeHere.start({ kubeconfigPath, name, folder })
process.once('SIGTERM', () => void node.stop().then(() => process.exit(0)))
