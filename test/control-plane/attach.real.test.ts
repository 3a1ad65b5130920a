import { expect, it } from 'vitest'
import { attachToControlPlane } from './attach.ts'

it('attaches a test file to the control plane of its project', async () => {
  const controlPlane = attachToControlPlane()
  const { stdout, stderr } = await controlPlane.kubectl('get', 'nodes', '-o', 'name')
  expect(stdout, stderr).toContain('node/node-0\n')
  expect((await controlPlane.auditEvents()).length).toBeGreaterThan(0)
})
