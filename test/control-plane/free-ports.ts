// Choice of free ports that stay free for the program. They are below the kernel's ephemeral range, so the kernel never
// assigns them to
// another process, even while a server restarts.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Linux assigns ephemeral ports from 32768 on. */
const [lowest, beyond] = [15_000, 32_000]

export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(lowest, beyond)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
