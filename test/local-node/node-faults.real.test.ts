import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { isAlive } from '../control-plane/is-alive.ts'
import { ServerProcess } from '../control-plane/server-process.ts'
import { NodeHere } from './node-here.ts'
import { isReady, NodeStage, nodePod } from './node-stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'konverge-node-faults-'))
const nodeName = 'faulty-node'
let plane: ControlPlane
let stage: NodeStage
let node: NodeHere | undefined
let child: ServerProcess | undefined

beforeAll(async () => {
  plane = await startControlPlane()
  stage = new NodeStage(plane, 'local-node-faults')
  await stage.open()
})

afterAll(async () => {
  child?.kill()
  await node?.stop()
  await plane.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Writes its own PID atomically, and keeps running. */
const pidScript = `
  require('node:fs').writeFileSync(process.env.PID_FILE + '.new', String(process.pid))
  require('node:fs').renameSync(process.env.PID_FILE + '.new', process.env.PID_FILE)
  setInterval(() => {}, 1000)`
const pidFile = join(folder, 'pid')
const pidOf = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0)
const restartsOf = async () => (await stage.pod('stayer'))?.status?.containerStatuses?.[0]?.restartCount ?? 0

describe('a local node with faults', () => {
  it('ends processes of the previous run after a kill -9, and runs its pods again', async () => {
    const lifeLine = pathToFileURL(join(import.meta.dirname, '..', 'control-plane', 'life-line.ts')).href
    const script = join(import.meta.dirname, 'node-child.ts')
    child = new ServerProcess({
      name: 'the node',
      path: process.execPath,
      flags: ['--import', lifeLine, script, plane.kubeconfigPath, nodeName, folder],
      environment: { PATH: process.env['PATH'] ?? '' },
      logFile: join(folder, 'node.log'),
    })
    child.start()
    await stage.applyPod('stayer', nodePod(nodeName, pidScript, { env: [{ name: 'PID_FILE', value: pidFile }] }))
    await stage.podThat('stayer', 'ready', isReady)
    await stage.until('the program to be up', async () => pidOf() > 0)
    const orphan = pidOf()
    child.kill()
    await stage.until('the node to be dead', async () => child?.pid === undefined)
    expect(isAlive(orphan)).toBe(true)

    node = await NodeHere.start({ kubeconfigPath: plane.kubeconfigPath, name: nodeName, folder })
    await stage.podThat(
      'stayer',
      'running anew',
      (pod) => isReady(pod) && pod.status?.containerStatuses?.[0]?.restartCount === 1,
    )
    await stage.until('the orphan to be gone', async () => pidOf() !== orphan)
    const pod = await stage.pod('stayer')
    expect(pod?.status?.containerStatuses?.[0]?.lastState.terminated).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
    })
    expect(recordedPids()).toEqual([pidOf()])
  })

  it('keeps pods running while the API server is unreachable, and catches up', async () => {
    await stage.until('the program to be up', async () => isAlive(pidOf()))
    const before = await restartsOf()
    await plane.stopApiServer()
    const crashed = pidOf()
    process.kill(crashed, 'SIGKILL')
    await stage.until('the program to be restarted', async () => pidOf() !== crashed)
    await plane.startApiServer()
    await stage.until('the status to catch up', async () => (await restartsOf()) === before + 1)
    expect(isAlive(pidOf())).toBe(true)
  })

  it('stops its processes when it stops, and reports that it is not ready', async () => {
    const last = pidOf()
    await node?.stop()
    node = undefined
    expect(isAlive(last)).toBe(false)
    expect(recordedPids()).toEqual([])
    const { text } = await plane.request({ method: 'GET', path: `/api/v1/nodes/${nodeName}` })
    const { status } = JSON.parse(text)
    expect(status.conditions.find(({ type }: { type: string }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
    })
    const pod = await stage.pod('stayer')
    expect(pod !== undefined && isReady(pod)).toBe(false)
  })

  it('stops its processes also while the API server is unreachable', async () => {
    node = await NodeHere.start({ kubeconfigPath: plane.kubeconfigPath, name: nodeName, folder })
    await stage.podThat('stayer', 'ready', isReady)
    await stage.until('the program to be up', async () => isAlive(pidOf()))
    const last = pidOf()
    await plane.stopApiServer()
    await node.stop()
    node = undefined
    expect(isAlive(last)).toBe(false)
  })
})

/** Returns the recorded processes of the node. */
function recordedPids(): readonly number[] {
  const records = join(folder, 'processes')
  return readdirSync(records).map((name) => JSON.parse(readFileSync(join(records, name), 'utf8')).pid)
}
